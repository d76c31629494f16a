//! Merges of shapes that invite quadratic work, of any size.
//!
//! Owns: the list of shapes, each of which grows linearly in bytes with its size. Ignores: what merging them should give.

use crate::Rng;

/// Base, ours and theirs.
pub type Sides = [String; 3];

/// One shape.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What it is made of.
    pub name: &'static str,
    /// A size at which a merge takes long enough to be timed.
    pub size: usize,
    /// The sides of that many things.
    pub sides: fn(usize) -> Sides,
}

/// All shapes.
pub const SHAPES: &[Shape] = &[
    shape("documents, changed", 10_000, |count| documents(count, |_, name| name)),
    shape("documents, half of them renamed", 10_000, |count| {
        documents(count, |number, name| if number.is_multiple_of(2) { name } else { format!("new-{name}") })
    }),
    shape("documents, all renamed", 10_000, |count| documents(count, |_, name| format!("new-{name}"))),
    shape("documents, renamed by both", 2_000, |count| {
        sides(count, |number, side| {
            format!("---\nkind: A\nmetadata:\n  name: {side}-{number}\nspec: {}\n", number * 7919)
        })
    }),
    shape("documents, one conflict each", 2_000, |count| {
        sides(count, |number, side| {
            format!("---\nkind: A\nmetadata:\n  name: a-{number}\nspec:\n  a: {side}\n  b: 1\n")
        })
    }),
    shape("documents, equal", 4_000, |count| {
        ["base", "ours", "theirs"].map(|side| format!("a: {side}\n{}", "---\nkind: A\nb: 1\n".repeat(count)))
    }),
    shape("documents, equal, and more of them", 4_000, |count| {
        ["base", "ours", "theirs"].map(|side| "kind: A\nb: 1\n---\n".repeat(count + side.len()) + "c: " + side + "\n")
    }),
    shape("documents, without a name, in conflict", 8_000, |count| {
        sides(count, |number, side| format!("---\na: {number}\nb: {side}\n"))
    }),
    shape("scalars, reordered and changed", 50_000, scalars),
    shape("mappings without identity, all changed", 10_000, mappings),
    shape("lines of a block scalar", 100_000, lines),
    shape("lines of a block scalar, in conflict", 4_000, |count| {
        sides(count, |number, side| match number {
            0 => "data:\n  text: |\n".to_owned(),
            _ => format!("    line {number}\n    is {side}\n    and so on\n"),
        })
    }),
    shape("lines of a comment above a conflict", 6_000, comment),
    shape("lines of a comment in the place of a key", 50_000, |count| {
        let lines: String = (0..count).map(|number| format!("# line {number}\n")).collect();
        ["a: 1\nb: 2\nc: 3\n".to_owned(), "a: 1\nc: 3\n".to_owned(), format!("{lines}b: 2\nc: 3\n")]
    }),
    shape("lines of a comment above a key that moves", 30_000, |count| {
        let lines: String = (0..count).map(|number| format!("# line {number}\n")).collect();
        let keys = |value: u8| format!("a: 1\n{lines}b: {value}\n");
        [keys(1) + "c: 1\nd: 1\n", format!("a: 1\nc: 1\nd: 1\n{lines}b: 1\n"), keys(2) + "c: 1\nd: 1\n"]
    }),
    shape("keys that move with their headings", 4_000, |count| {
        let keys = |of: fn(usize) -> bool| -> String {
            let keys = (0..count).filter(|number| of(*number));
            keys.map(|number| format!("\n# about {number}\n\nkey-{number}: 1\n")).collect()
        };
        let turned = keys(|number| !number.is_multiple_of(3)) + &keys(|number| number.is_multiple_of(3));
        [keys(|_| true), turned, keys(|_| true) + "last: 1\n"]
    }),
    shape("keys below each line of a comment that goes", 10_000, |count| {
        sides(count + 1, |number, side| match (side, number) {
            (_, 0) => "first: 1\n".to_owned(),
            ("theirs", _) => String::new(),
            ("ours", _) => format!("# line {number}\nkey-{number}: 1\n"),
            _ => format!("# line {number}\n"),
        })
        .map(|text| text + "last: 1\n")
    }),
    shape("comments behind a mapping in one line", 4_000, |count| {
        ["base", "ours", "theirs"].map(|side| {
            let value = |number: usize| u8::from(side == "ours" && !number.is_multiple_of(2));
            let fields: String = (0..count).map(|number| format!(", key-{number}: {}", value(number))).collect();
            let comments: String = (0..count).map(|number| format!("--- # about {number}\n")).collect();
            format!("{{first: {}{fields}}}\n{comments}", side == "theirs")
        })
    }),
    shape("comments above keys that go", 10_000, |count| {
        sides(count, |number, side| match (side, number.is_multiple_of(2)) {
            ("ours", true) => String::new(),
            ("theirs", true) => format!("# about {number}\nkey-{number}: 1\n"),
            _ => format!("key-{number}: 1\n"),
        })
    }),
    shape("keys of a mapping that is divided, with comments", 10_000, |count| {
        sides(count, |number, side| match (side, number % 6) {
            _ if number == 0 => "first:\n  key-0: 0\n".to_owned(),
            ("ours", 0) => format!("group-{number}:\n  key-{number}: {number}\n"),
            ("theirs", 3) => format!("  key-{number}: {number} # note\n"),
            _ => format!("  key-{number}: {number}\n"),
        })
    }),
    shape("block scalars, in conflict", 4_000, |count| {
        sides(count, |number, side| format!("key-{number}: |\n  first\n  is {side}\n  last\n"))
    }),
    shape("keys, renamed", 10_000, |count| entries(count, "")),
    shape("elements, renamed", 10_000, |count| entries(count, "- name: ")),
    shape("keys, in conflict", 4_000, |count| {
        sides(count, |number, side| format!("key-{number}: {side}\nlike-{number}: 1\nthis-{number}: 2\n"))
    }),
    shape("keys, renamed by both beside replaced ones", 2_000, |count| {
        sides(count, |number, side| {
            let replaced = match side {
                "base" => format!("key-{number}: {{a: 1}}\nname-{number}: {number}\n"),
                "ours" => format!("new-{number}: 5\nours-{number}: {number}\n"),
                _ => format!("key-{number}: {{a: 2}}\ntheirs-{number}: {number}\n"),
            };
            replaced + &format!("like-{number}: 0\n")
        })
    }),
    shape("keys, added by both", 4_000, |count| {
        sides(count, |number, side| match side {
            "base" => format!("like-{number}: 1\nthis-{number}: 2\n"),
            _ => format!("like-{number}: 1\nkey-{number}: {side}\nthis-{number}: 2\n"),
        })
    }),
    shape("keys, removed and changed", 4_000, |count| {
        sides(count, |number, side| match side {
            "ours" => format!("like-{number}: 1\nthis-{number}: 2\n"),
            _ => format!("like-{number}: 1\nkey-{number}: {side}\nthis-{number}: 2\n"),
        })
    }),
    shape("keys that stand twice, in conflict", 4_000, |count| {
        sides(count, |number, side| format!("key-{number}: {side}\nlike-{number}: 1\nlike-{number}: 2\n"))
    }),
    shape("one key all over, in conflict", 4_000, |count| {
        sides(count, |number, side| format!("key-{number}: {side}\nlike: {number}\nthis-{number}: 2\n"))
    }),
    shape("merge keys, in conflict", 4_000, |count| {
        sides(count, |number, side| {
            format!("key-{number}: &a{number} {{a: 1}}\nlike-{number}:\n  <<: *a{number}\n  b: {side}\n  c: 1\n")
        })
    }),
    shape("anchors, in conflict", 4_000, |count| {
        sides(count, |number, side| {
            format!("key-{number}: &a{number} {side}\nlike-{number}: *a{number}\nthis-{number}: 2\n")
        })
    }),
    shape("anchors without aliases, in conflict", 80_000, |count| {
        sides(count, |number, side| format!("key-{number}: &a{number} {side}\nthis-{number}: 2\n"))
    }),
    shape("variables, in conflict", 4_000, |count| {
        container(count, "env", |number, side| format!("        - name: V{number}\n          value: {side}\n"))
    }),
    shape("ports, in conflict", 4_000, |count| {
        container(count, "ports", |number, side| {
            format!("        - containerPort: {number}\n          name: {side}-{number}\n")
        })
    }),
    shape("arguments, in conflict", 4_000, |count| {
        container(count, "args", |number, side| format!("        - --{side}={number}\n        - like-{number}\n"))
    }),
    shape("comments, in conflict", 4_000, |count| {
        sides(count, |number, side| format!("# {side} {number}\nkey-{number}: 1\nlike-{number}: 1\n"))
    }),
    shape("bytes of a deep mapping", 1_000_000, |bytes| deep(bytes, |_, _| String::new())),
    shape("bytes of a deep mapping, in conflict on each level", 1_000_000, |bytes| {
        deep(bytes, |level, side| format!("{}c: {side}\n", " ".repeat(level)))
    }),
    shape("levels in brackets, all in conflict", 4_000, |count| {
        ["base", "ours", "theirs"]
            .map(|side| format!("{}1{}\n", format!("{{a: {side}, b: ").repeat(count), "}".repeat(count)))
    }),
    shape("levels in brackets, one in conflict", 40_000, |count| {
        ["base", "ours", "theirs"].map(|side| format!("{}{side}{}\n", "{b: ".repeat(count), "}".repeat(count)))
    }),
    shape("elements in brackets, all in conflict", 4_000, |count| {
        sides(count, |number, side| format!("  k{number}: {side},\n  l{number}: 1,\n"))
            .map(|entries| format!("a: {{\n{entries}  z: 1}}\n"))
    }),
];

const fn shape(name: &'static str, size: usize, sides: fn(usize) -> Sides) -> Shape {
    Shape { name, size, sides }
}

/// So many parts, in each of which the name of its side may stand.
fn sides(count: usize, part: fn(usize, &str) -> String) -> Sides {
    ["base", "ours", "theirs"].map(|side| (0..count).map(|number| part(number, side)).collect())
}

/// A deployment with a long list in its container.
fn container(count: usize, field: &str, item: fn(usize, &str) -> String) -> Sides {
    let head = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n      \
         - name: app\n        {field}:\n"
    );
    sides(count, item).map(|items| head.clone() + &items)
}

/// A mapping in a mapping in a mapping: as deep as so many bytes allow, as each level is indented.
fn deep(bytes: usize, beside: fn(usize, &str) -> String) -> Sides {
    let levels = bytes.isqrt();
    ["base", "ours", "theirs"].map(|side| {
        let keys: String =
            (0..levels).map(|level| format!("{}{}a:\n", beside(level, side), " ".repeat(level))).collect();
        format!("{keys}{}b: {side}\n", " ".repeat(levels))
    })
}

/// Deployments, some of them changed by each side, with the names that ours gives them.
fn documents(count: usize, named: fn(usize, String) -> String) -> Sides {
    let text = |name: fn(usize, String) -> String, changed: Option<usize>| -> String {
        let document = |number: usize| {
            let tag = number * 7919 + usize::from(changed == Some(number % 10));
            let name = name(number, format!("web-{number}"));
            format!(
                "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  replicas: {}\n  template:\n    \
                 spec:\n      containers:\n      - name: app\n        image: registry/app:{tag}\n        args: [--id, '{number}']\n",
                number % 7
            )
        };
        (0..count).map(document).collect()
    };
    let same = |_, name| name;
    [text(same, None), text(named, Some(0)), text(same, Some(5))]
}

/// One side puts a line behind each of a long comment, and removes as many that follow.
fn comment(count: usize) -> Sides {
    let removed: String = (0..count).map(|number| format!("# {number}\n")).collect();
    let kept = |line: &str| line.repeat(count);
    [
        format!("a: 1\n{}{removed}b: 1\n", kept("# x\n")),
        format!("a: 1\n{}b: 2\n", kept("# x\n# n\n")),
        format!("a: 2\n{}{removed}b: 3\n", kept("# x\n")),
    ]
}

/// A list that ours has shuffled and both have changed.
fn scalars(count: usize) -> Sides {
    let list = |items: &[String]| format!("list:\n- {}\n", items.join("\n- "));
    let base: Vec<String> = (0..count).map(|number| format!("item-{number}")).collect();
    let (mut ours, mut theirs) = (base.clone(), base.clone());
    ours.iter_mut().step_by(5).for_each(|item| item.push_str("-ours"));
    theirs.iter_mut().skip(2).step_by(7).for_each(|item| item.push_str("-theirs"));
    let mut random = Rng::new(1);
    (1..count).for_each(|at| ours.swap(at, random.below(at + 1)));
    [list(&base), list(&ours), list(&theirs)]
}

/// A list of mappings in each of which each side has changed a field.
fn mappings(count: usize) -> Sides {
    let list = |ours: &str, theirs: &str| -> String {
        let item = |number: usize| format!("- a: {}{ours}\n  b: {number}\n  c: x{theirs}\n", number * 7919);
        "list:\n".to_owned() + &(0..count).map(item).collect::<String>()
    };
    [list("", ""), list("1", ""), list("", "y")]
}

/// A text of which each side has changed a quarter of the lines.
fn lines(count: usize) -> Sides {
    let text = |changed: Option<usize>| -> String {
        let line = |number: usize| {
            let end = if changed == Some(number % 4) { " changed" } else { "" };
            format!("    line {number}{end}\n")
        };
        "data:\n  text: |\n".to_owned() + &(0..count).map(line).collect::<String>()
    };
    [text(None), text(Some(0)), text(Some(2))]
}

/// Entries that ours has renamed and of which theirs has changed a third.
fn entries(count: usize, item: &str) -> Sides {
    let text = |prefix: &str, more: usize| -> String {
        let entry = |number: usize| {
            let value = number + if number.is_multiple_of(3) { more } else { 0 };
            match item {
                "" => format!("  {prefix}key-{number}: value {value}\n"),
                _ => format!("  {item}{prefix}key-{number}\n    image: value{value}\n    number: {number}\n"),
            }
        };
        "containers:\n".to_owned() + &(0..count).map(entry).collect::<String>()
    };
    [text("", 0), text("new-", 0), text("", 1)]
}
