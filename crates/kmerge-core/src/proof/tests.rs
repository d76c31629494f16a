//! Small merges, good and bad: what the facts say of each.

use super::compare::{Wanted, Wrong, first_wrong};
use super::facts::Facts;
use super::moved::HeldBySides;
use super::unsound::CommentFault;
use crate::schema::Schema;
use crate::slots::Side;
use kyaml_ast::Stream;

/// What is wrong with a result, in a word.
fn wrong(texts: [&str; 4], wanted: Wanted) -> &'static str {
    wrong_again(texts, wanted, &HeldBySides::default())
}

/// The same, with what is known from other results.
fn wrong_again([base, ours, theirs, result]: [&str; 4], wanted: Wanted, held: &HeldBySides) -> &'static str {
    let trees = [base, ours, theirs, result].map(|text| Stream::parse(text).unwrap());
    let schema = Schema::new();
    match first_wrong(&mut Facts::of(trees.each_ref(), &schema, held), wanted) {
        None => "sound",
        Some(Wrong::Lost(..)) => "lost",
        Some(Wrong::Back(..)) => "back",
        Some(Wrong::Gone(_)) => "gone",
        Some(Wrong::New(_)) => "new",
        Some(Wrong::Half(..)) => "half",
        Some(Wrong::Order(_)) => "order",
        Some(Wrong::Comment(CommentFault::Lost, ..)) => "comment lost",
        Some(Wrong::Comment(CommentFault::Back, ..)) => "comment back",
        Some(Wrong::Comment(CommentFault::Twice, ..)) => "comment twice",
        Some(Wrong::Comment(CommentFault::Astray | CommentFault::Contested, ..)) => "comment astray",
    }
}

/// Checks results of one merge, in both directions.
pub(super) fn check(sides: [&str; 3], results: &[(&str, &str)]) {
    let [base, ours, theirs] = sides;
    for (ours, theirs) in [(ours, theirs), (theirs, ours)] {
        let held = HeldBySides::default();
        for (result, expected) in results {
            let found = wrong([base, ours, theirs, result], Wanted::Both);
            assert_eq!(found, *expected, "{base}---\n{ours}---\n{theirs}---\n{result}");
            let again = wrong_again([base, ours, theirs, result], Wanted::Both, &held);
            assert_eq!(again, *expected, "after others: {base}---\n{ours}---\n{theirs}---\n{result}");
        }
    }
}

#[test]
fn fields_are_as_the_side_has_them_that_changed_them() {
    check(
        ["a: 1\nb: 1\nc: 1\n", "a: 2\nb: 1\nc: 1\n", "a: 1\nc: 1\nd: 1\n"],
        &[
            ("a: 2\nc: 1\nd: 1\n", "sound"),
            ("d: 1\nc: 1\na: '2'\n", "lost"),
            ("d: 1\nc: 1\na: 2\n", "sound"),
            ("a: 1\nc: 1\nd: 1\n", "lost"),
            ("a: 2\nb: 1\nc: 1\nd: 1\n", "back"),
            ("a: 2\nc: 1\n", "lost"),
            ("a: 2\nd: 1\n", "gone"),
            ("a: 2\nc: 9\nd: 1\n", "gone"),
            ("a: 2\nc: 1\nd: 1\ne: 1\n", "new"),
        ],
    );
}

#[test]
fn what_both_changed_differently_is_never_sound() {
    let results = ["a: 2\n", "a: 3\n", "a: 1\n", "{}\n"];
    for result in results {
        assert_ne!(wrong(["a: 1\n", "a: 2\n", "a: 3\n", result], Wanted::Both), "sound", "{result}");
        assert_ne!(wrong(["a: {b: 1}\n", "{}\n", "a: {b: 2}\n", result], Wanted::Both), "sound", "{result}");
    }
}

#[test]
fn a_new_name_goes_with_a_new_value() {
    let [base, ours, theirs] = ["m: {a: 1, b: 2, c: 3}\n", "n: {a: 1, b: 2, c: 3}\n", "m: {a: 1, b: 2, c: 4}\n"];
    check(
        [base, ours, theirs],
        &[
            ("n: {a: 1, b: 2, c: 4}\n", "sound"),
            ("n: {a: 1, b: 2, c: 3}\n", "lost"),
            ("m: {a: 1, b: 2, c: 4}\n", "lost"),
        ],
    );
}

#[test]
fn elements_are_known_by_identity_content_place_or_likeness() {
    check(
        [
            "- {name: a, x: 1}\n- {name: b}\n",
            "- {name: b}\n- {name: a, x: 2}\n",
            "- {name: a, x: 1, y: 1}\n- {name: b}\n",
        ],
        &[
            ("- {name: b}\n- {name: a, x: 2, y: 1}\n", "sound"),
            ("- {name: a, x: 2, y: 1}\n- {name: b}\n", "order"),
            ("- {name: b}\n- {name: b}\n- {name: a, x: 2, y: 1}\n", "new"),
            ("- {name: b}\n- {name: a, x: 2}\n", "lost"),
        ],
    );
    check(
        [
            "- [1, 2, 3]\n- [4, 5, 6]\n- [7, 8]\n",
            "- [1, 2, 30]\n- [4, 5, 6]\n- [7, 8]\n",
            "- [10, 2, 3]\n- [4, 5, 6]\n",
        ],
        &[("- [10, 2, 30]\n- [4, 5, 6]\n", "sound"), ("- [1, 2, 30]\n- [4, 5, 6]\n", "lost")],
    );
}

#[test]
fn a_replacement_comes_or_goes_as_a_whole() {
    let chosen = |sides: [&str; 3], result: &str| {
        let [base, ours, theirs] = sides;
        let found = wrong([base, ours, theirs, result], Wanted::Chosen(Side::Dest));
        assert_eq!(found, wrong([base, theirs, ours, result], Wanted::Chosen(Side::Incoming)), "{result}");
        found
    };
    // Theirs put x in the place of a.
    let named = ["- name: a\n- name: b\n", "- name: n\n- name: a\n- name: b\n", "- name: x\n- name: b\n"];
    assert_eq!(chosen(named, "- name: n\n- name: a\n- name: b\n"), "sound");
    assert_eq!(chosen(named, "- name: n\n- name: x\n- name: b\n"), "sound");
    assert_eq!(chosen(named, "- name: n\n- name: b\n"), "half");
    // Theirs put other values in the place of all that the first one had.
    let unnamed = ["- {p: a, h: 1}\n", "- {p: a, h: 1}\n- {p: n, h: 4}\n", "- {p: x, h: 2}\n"];
    assert_eq!(chosen(unnamed, "- {p: a, h: 1}\n- {p: n, h: 4}\n"), "sound");
    assert_eq!(chosen(unnamed, "- {p: x, h: 2}\n- {p: n, h: 4}\n"), "sound");
    assert_eq!(chosen(unnamed, "- {p: x, h: 1}\n- {p: n, h: 4}\n"), "half");
    // One value is no replacement.
    let changed = ["- {p: a, h: 1, k: 1}\n", "- {p: a, h: 1, k: 2}\n", "- {p: x, h: 1, k: 1, z: 1}\n"];
    assert_eq!(chosen(changed, "- {p: a, h: 1, k: 2, z: 1}\n"), "sound");
}

#[test]
fn many_renamed_documents_are_the_same() {
    for count in [2, 40, 150] {
        let stream = |prefix: &str, image: &str| -> String {
            let document = |at: usize| {
                let image = if at == 1 { image } else { "app:1" };
                format!(
                    "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {prefix}{at}\nspec:\n  nodeName: n{at}\n  image: {image}\n"
                )
            };
            (0..count).map(document).collect()
        };
        let [base, ours, theirs] = [stream("a", "app:1"), stream("new-a", "app:1"), stream("a", "app:2")];
        check(
            [base.as_str(), &ours, &theirs],
            &[(stream("new-a", "app:2").as_str(), "sound"), (ours.as_str(), "lost"), (theirs.as_str(), "lost")],
        );
    }
}

#[test]
fn in_a_long_list_an_element_is_known_by_what_hardly_another_has() {
    const MANY: usize = 300;
    let list = |of: &dyn Fn(usize) -> Option<&'static str>| -> String {
        let element = |(at, jobs): (usize, &str)| format!("- project:\n    name: p{at}\n    jobs: [{jobs}]\n");
        (0..MANY).filter_map(|at| Some((at, of(at)?))).map(element).collect()
    };
    let base = list(&|_| Some("test, docs"));
    // Ours drops some and changes all others, theirs changes one.
    let ours = |at: usize| if at.is_multiple_of(7) { None } else { Some("test, docs, lint") };
    let theirs = list(&|at| Some(if at == 200 { "unit, test, docs" } else { "test, docs" }));
    let merged = list(&|at| if at == 200 { Some("unit, test, docs, lint") } else { ours(at) });
    let without = list(&|at| if at == 201 { Some("test, docs") } else { ours(at) });
    check([&base, &list(&ours), &theirs], &[(&merged, "sound"), (&list(&ours), "lost"), (&without, "lost")]);
}

#[test]
fn what_is_like_all_others_is_no_other_name() {
    let field = |name: &str| format!("{name}:\n  source: {name}.git\n  version: main\n  status: kept\n");
    let fields = |names: &[&str]| -> String { names.iter().map(|name| field(name)).collect() };
    let (base, ours) = (fields(&["a", "b", "c"]), fields(&["a", "c"]));
    let theirs = fields(&["a", "aa", "c"]);
    check([&base, &ours, &theirs], &[(&theirs, "sound"), (&ours, "lost")]);
    let only = "b:\n  source: b.git\n  version: main\n  status: kept\n".replace("b:", "bb:");
    check([&field("b"), "", &only], &[(&only, "back")]);
}

#[test]
fn scalars_of_a_list_are_counted() {
    check(
        ["a: [x, y]\n", "a: [x, y, z]\n", "a: [x]\n"],
        &[("a: [x, z]\n", "sound"), ("a: [z, x]\n", "order"), ("a: [x, y, z]\n", "back"), ("a: [x, z, z]\n", "new")],
    );
    // Ours put something new in the place of what theirs moved.
    check(["a: [a, b, c]\n", "a: [a, e, c]\n", "a: [b, a, c]\n"], &[("a: [e, a, c]\n", "sound")]);
    // Each side's `-v` goes with something else.
    check(["a: []\n", "a: [-v, b]\n", "a: [-v, c]\n"], &[("a: [-v, b, -v, c]\n", "sound")]);
    check(["a: []\n", "a: [b, c]\n", "a: [b]\n"], &[("a: [b, c]\n", "sound"), ("a: [b, c, b]\n", "new")]);
}

#[test]
fn texts_merge_by_lines() {
    check(
        ["a: |\n  1\n  2\n  3\n", "a: |\n  one\n  2\n  3\n", "a: |\n  1\n  2\n  three\n"],
        &[
            ("a: |\n  one\n  2\n  three\n", "sound"),
            ("a: |\n  one\n  2\n  3\n", "lost"),
            ("a: |\n  one\n  three\n", "gone"),
            ("a: |-\n  one\n  2\n  three\n", "gone"),
        ],
    );
}

#[test]
fn a_text_in_a_list_merges_by_lines() {
    check(
        ["- -c\n- |\n  1\n  2\n  3\n", "- -c\n- |\n  one\n  2\n  3\n", "- -c\n- |\n  1\n  2\n  three\n"],
        &[
            ("- -c\n- |\n  one\n  2\n  three\n", "sound"),
            ("- -c\n- |\n  one\n  2\n  3\n", "lost"),
            ("- -c\n", "gone"),
            ("- -c\n- |\n  one\n  2\n  three\n- |\n  1\n  2\n  3\n", "lost"),
        ],
    );
}

#[test]
fn a_chosen_side_is_there_and_so_is_what_nobody_touched() {
    let sides = ["a: 1\nb: 1\nc: 1\n", "a: 2\nb: 1\nc: 1\n", "a: 3\nb: 1\nc: 2\n"];
    let with = |result, side| wrong([sides[0], sides[1], sides[2], result], Wanted::Chosen(side));
    assert_eq!(with("a: 2\nb: 1\nc: 2\n", Side::Dest), "sound");
    assert_eq!(with("a: 2\nb: 1\nc: 1\n", Side::Dest), "sound");
    assert_eq!(with("a: 3\nb: 1\nc: 2\n", Side::Dest), "lost");
    assert_eq!(with("a: 3\nb: 1\nc: 1\n", Side::Incoming), "lost");
    assert_eq!(with("a: 2\nc: 2\n", Side::Dest), "gone");
}

#[test]
fn documents_are_known_by_what_they_are() {
    let [a, b, c] =
        ["kind: A\nmetadata: {name: a}\nx: 1\n", "kind: B\nmetadata: {name: b}\n", "kind: C\nmetadata: {name: c}\n"];
    let stream = |documents: &[&str]| documents.join("---\n");
    let a2 = a.replace("x: 1", "x: 2");
    check(
        [&stream(&[a, b]), &stream(&[a, b, c]), &stream(&[b, &a2])],
        &[
            (&stream(&[c, b, &a2]), "sound"),
            (&stream(&[&a2, c]), "gone"),
            (&stream(&[&a2, b]), "lost"),
            (&stream(&[a, b, c]), "lost"),
            (&stream(&[&a2, b, c, c]), "new"),
        ],
    );
}

/// Checks results of which ours was chosen in every conflict.
pub(super) fn check_chosen([base, ours, theirs]: [&str; 3], results: &[(&str, &str)]) {
    for (result, expected) in results {
        let found = wrong([base, ours, theirs, result], Wanted::Chosen(Side::Dest));
        assert_eq!(found, *expected, "{base}---\n{ours}---\n{theirs}---\n{result}");
    }
}

#[test]
fn what_a_side_removed_whole_is_there_whole() {
    check_chosen(
        ["l:\n- name: a\n  p: 1\n  q: 2\n", "l:\n- name: a\n  p: 9\n  q: 2\n", "l:\n- name: b\n  r: 3\n"],
        &[("l:\n- name: a\n  p: 9\n  q: 2\n", "sound"), ("l:\n- name: a\n  p: 9\n", "half")],
    );
    // A resource of another kind and name is another one, and so is one of the same name that has little in common.
    let secret = "kind: Secret\nmetadata: {name: s}\ndata: {t: 1, u: 2}\n";
    let config = "kind: ConfigMap\nmetadata: {name: c}\ndata: {l: 3, m: 4}\n";
    let changed = secret.replace("t: 1", "t: 9");
    check_chosen(
        [secret, &changed, config],
        &[
            (&changed, "sound"),
            (&changed.replace("{name: s}", "{name: c}"), "new"),
            (&changed.replace("Secret", "ConfigMap"), "new"),
        ],
    );
    // Nor does the base make one of two that have nothing in common.
    let web = "kind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1, image: web, port: 80, probe: x}\n";
    let cache = "kind: Deployment\nmetadata: {name: cache}\nspec: {memory: 1Gi, evict: lru, tls: on}\n";
    let set = web.replace("Deployment", "StatefulSet").replace("port: 80", "port: 80, serviceName: web");
    let mixed = cache.replace("Deployment", "StatefulSet").replace("tls: on", "tls: on, serviceName: web");
    check([web, cache, &set], &[(&mixed, "lost")]);
    check([web, &set, cache], &[(&mixed, "lost")]);
}

#[test]
fn a_chosen_side_has_each_word_once() {
    let words = ["- a\n- b\n- c\n", "- b\n- e\n- f\n- c\n", "- a\n- k\n- c\n- f\n"];
    let [chosen, twice] = ["- b\n- e\n- f\n- c\n", "- b\n- e\n- f\n- c\n- f\n"];
    check_chosen(words, &[(chosen, "sound"), (twice, "new")]);
    // An option may stand twice, but not if one side added it alone, and the other beside something new.
    let options = words.map(|list| list.replace("- b\n", "- -b\n"));
    let [base, ours, theirs] = options.each_ref().map(String::as_str);
    let twice = twice.replace("- b\n", "- -b\n");
    check_chosen([base, ours, theirs], &[(&twice, "new")]);
    check_chosen([base, ours, &format!("{theirs}- g\n")], &[(&format!("{twice}- g\n"), "sound")]);
}

/// Steps that only likeness tells apart, each with a value.
fn list(steps: &[(char, u8)]) -> String {
    let step = |(name, value): &(char, u8)| {
        let long = name.to_string().repeat(12);
        format!("- run: {long}\n  at: {long}-{long}\n  with: {value}\n")
    };
    steps.iter().map(step).collect()
}

#[test]
fn a_result_never_has_both_versions_of_an_element() {
    let base = list(&[('a', 0), ('b', 0), ('c', 0)]);
    let ours = list(&[('a', 0), ('c', 0), ('m', 0)]);
    let theirs = list(&[('b', 0), ('c', 0), ('a', 1)]);
    let twice = list(&[('a', 0), ('c', 0), ('m', 0), ('a', 1)]);
    check_chosen([&base, &ours, &theirs], &[(&ours, "sound"), (&twice, "new")]);
    // Nor where all lists are as long, so that each element could be the one at its place.
    let base = list(&[('a', 0), ('b', 0), ('c', 0), ('d', 0)]);
    let ours = list(&[('a', 0), ('b', 0), ('c', 0), ('d', 1)]);
    let theirs = list(&[('a', 0), ('d', 2), ('c', 0), ('i', 0)]);
    let twice = list(&[('a', 0), ('d', 2), ('c', 0), ('d', 1)]);
    check_chosen([&base, &ours, &theirs], &[(&ours, "sound"), (&twice, "gone")]);
}

#[test]
fn what_one_side_moved_is_somewhere_whoever_is_chosen() {
    let [copy, end] = ["- {task: copy, from: a}\n", "- {task: end, run: e}\n"];
    let base = format!("steps:\n{copy}{end}prep: one\n");
    let ours = format!("steps:\n{copy}{end}prep: two\n");
    let theirs = format!("steps:\n{end}prep:\n{copy}");
    let nowhere = format!("steps:\n{end}prep: two\n");
    check_chosen([&base, &ours, &theirs], &[(&ours, "sound"), (&nowhere, "gone")]);
    // A single value, too.
    let [base, ours] = ["check: [a]\ngate: [seed, x]\n", "gate: [seed, x]\n"];
    let theirs = "check: [a, seed]\ngate: [x]\n";
    check_chosen([base, ours, theirs], &[("gate: [x]\n", "gone"), (ours, "sound")]);
    // But each side may remove one of two.
    let [base, ours, theirs] =
        ["a: [x, y]\nb: [x, z]\nc: 1\n", "a: [y]\nb: [x, z]\nc: 2\n", "a: [x, y]\nb: [z]\nc: 3\n"];
    check_chosen([base, ours, theirs], &[("a: [y]\nb: [z]\nc: 2\n", "sound")]);
}

#[test]
fn of_copies_the_one_that_is_nearest_is_the_same_element() {
    let base = list(&[('a', 0), ('b', 0), ('c', 0)]);
    let ours = list(&[('a', 0), ('b', 0), ('c', 2)]);
    let theirs = list(&[('c', 1), ('a', 0), ('b', 0), ('c', 0), ('d', 0)]);
    let merged = list(&[('c', 1), ('a', 0), ('b', 0), ('c', 2), ('d', 0)]);
    check([&base, &ours, &theirs], &[(&merged, "sound"), (&theirs, "lost")]);
}

#[test]
fn a_result_has_what_was_swapped_although_others_stand_between() {
    let names = |order: &str| order.chars().map(|name| format!("- name: {name}\n")).collect::<String>();
    let [base, ours, theirs] = ["abcde", "aecbd", "cabide"].map(names);
    let [lost, kept] = ["caeibd", "aecibd"].map(names);
    check_chosen([&base, &ours, &theirs], &[(&ours, "sound"), (&lost, "order"), (&kept, "sound")]);
}

#[test]
fn where_turns_count_what_both_sides_put_at_one_place_has_no_order() {
    let list = |field: &str, order: &str| {
        order.chars().fold(format!("{field}:\n"), |list, name| list + &format!("- name: {name}\n  shell: run {name}\n"))
    };
    for (field, outcome) in [("tasks", "order"), ("hosts", "sound")] {
        let of = |order: &str| list(field, order);
        let [base, ours, theirs] = ["abc", "abgc", "abec"].map(of);
        check([&base, &ours, &theirs], &[(&of("abgec"), outcome), (&of("abegc"), outcome)]);
        // Not at one place: `b` is gone where `e` came.
        check([&base, &ours, &of("aec")], &[(&of("agec"), "sound")]);
    }
}

/// Whether lines guess where something belongs, in both directions.
fn is_guess(sides: [&str; 4]) -> bool {
    let [base, ours, theirs, result] = sides.map(|names| {
        let item = |name: char| format!("- name: {name}\n  x: {}\n", name.to_ascii_lowercase());
        names.chars().map(item).collect::<String>()
    });
    let schema = Schema::new();
    let [there, back] = [[&base, &ours, &theirs, &result], [&base, &theirs, &ours, &result]].map(|texts| {
        let trees = texts.map(|text| Stream::parse(text).unwrap());
        Facts::of(trees.each_ref(), &schema, &HeldBySides::default()).orders.is_contested
    });
    assert_eq!(there, back);
    there
}

#[test]
fn lines_guess_a_place_where_the_neighbour_moved() {
    assert!(!is_guess(["abcde", "bacde", "abcdxe", "bacdxe"]), "between what it stood between");
    assert!(!is_guess(["abcde", "bacde", "abce", "bace"]), "what goes has no place");
    assert!(is_guess(["abcde", "acdeb", "abxcde", "axcdeb"]), "behind b, or before c");
    assert!(is_guess(["abcde", "bcdea", "xabcde", "xbcdea"]), "at the top, or before a");
    assert!(is_guess(["abcde", "bacde", "abced", "baced"]), "both sides swapped something");
    assert!(!is_guess(["abcde", "acde", "abxcde", "axcde"]), "behind what went");
}
