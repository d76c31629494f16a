//! What merges allocate grows with their size, whatever their shape: counted, so that no busy machine changes the answer.
//!
//! Whoever copies or collects a whole file for each of its places is found here. Ignores work that allocates nothing:
//! `cargo xtask linear` counts every instruction, where valgrind is installed. What patches and applies hold at once is
//! counted, too.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use kmerge_core::apply::{Documents, Object, Options, PatchKind, PatchOptions, Sides as Batch, Unchecked, apply};
use kmerge_core::apply::{ListKeys, ListOrder};
use kmerge_core::git::merge;
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::{ConflictStyle, Policy, Schema, Slots, value};
use kmerge_testgen::{SHAPES, Sides};
use kyaml_ast::Stream;

/// What twice the size may take, as a multiple. Counted is four times the size, as tables that grow by doubling make steps.
const MOST: f64 = 2.3;
/// The part of a bench's size that is counted here.
const PART: usize = 40;
const LABELS: Labels<'static> = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
    /// What was asked for and not given back, and the most that this ever was.
    static HELD: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Counts a request of so many bytes, and so many that are given back.
fn count(asked: usize, back: usize) {
    // A thread that ends has nothing to count with any more.
    let _ = ALLOCATED.try_with(|allocated| allocated.set(allocated.get() + asked));
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        let now = (now + asked).saturating_sub(back);
        held.set((now, most.max(now)));
    });
}

/// Counts the bytes that a thread asks for.
struct Counting;

// SAFETY: every call is passed on as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocated(work: impl FnOnce()) -> f64 {
    let before = ALLOCATED.get();
    work();
    (ALLOCATED.get() - before) as f64
}

/// The most that `work` holds at once.
fn held(work: impl FnOnce()) -> f64 {
    let before = HELD.get().0;
    HELD.set((before, before));
    work();
    (HELD.get().1 - before) as f64
}

fn driver([base, ours, theirs]: &Sides, schema: &Schema) {
    let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    _ = merge(texts, schema).write(&ConflictStyle::Markers { style: Style::Merge, labels: LABELS });
}

fn merge3([base, ours, theirs]: &Sides, schema: &Schema) {
    let [base, dest, incoming] = [base, ours, theirs].map(|text| Stream::parse(text).unwrap());
    let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
    let plan = kmerge_core::merge(sides, schema, &Policy::GIT).unwrap();
    kmerge_core::render(&plan, sides, &ConflictStyle::Markers { style: Style::Diff3, labels: LABELS }).unwrap();
}

type Merge = fn(&Sides, &Schema);

#[test]
fn merges_allocate_in_proportion_to_their_size() {
    let schema = Schema::new();
    let mut worse = Vec::new();
    for shape in SHAPES {
        let sides = [1, 4].map(|times| (shape.sides)(times * shape.size / PART));
        for (name, merge) in [("driver", driver as Merge), ("merge3", merge3)] {
            let [small, large] = sides.each_ref().map(|sides| allocated(|| merge(sides, &schema)));
            if large / small > MOST * MOST {
                worse.push(format!("{name} of {}: {small} bytes, then {large}", shape.name));
            }
        }
    }
    assert!(worse.is_empty(), "more than {MOST} times as much for twice the size:\n{}", worse.join("\n"));
}

/// What may be held as a multiple of the inputs, these included. (It was 25 to 30 for a map before parts were read, and up to 7.6
/// while the trees of inputs and result were there at once.)
const MOST_HELD: f64 = 6.0;
/// The same where one part of a file at a time is held. (It was up to 14 for small objects.)
const MOST_HELD_IN_PARTS: f64 = 5.0;
/// The same for applies to small objects: what is reported of each takes as much room as it does. (It was 13.)
const MOST_HELD_WITH_REPORTS: f64 = 7.3;

/// A ConfigMap of so many keys.
fn config_map(keys: usize, changed: usize) -> String {
    let head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: big\ndata:\n".to_owned();
    let value = |key: usize| if key == changed { "other" } else { "v" };
    (0..keys).fold(head, |text, key| text + &format!("  k{key:06}: {}{key:06}\n", value(key)))
}

/// So many Deployments with one image.
fn deployments(count: usize, image: &str) -> String {
    let one = |number: usize| {
        format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  labels:\n    app: app-{number}\n  name: app-{number}\n  namespace: default\nspec:\n  \
             replicas: 2\n  selector:\n    matchLabels:\n      app: app-{number}\n  template:\n    metadata:\n      labels:\n        app: app-{number}\n    spec:\n      \
             containers:\n      - args:\n        - --follow\n        env:\n        - name: A\n          value: \"1\"\n        - name: B\n          value: some text\n        \
             image: {image}\n        name: app\n        ports:\n        - containerPort: 80\n        resources:\n          limits:\n            cpu: 500m\n            \
             memory: 512Mi\n      volumes:\n      - emptyDir: {{}}\n        name: data\n"
        )
    };
    (0..count).map(one).collect()
}

/// Patches all objects of a text at once.
fn patch_all(text: &str, given: &str) -> String {
    patched(text, given).checked().unwrap()
}

/// Patches all objects of a text as the command line does with a large file.
fn patch_parts(text: &str, given: &str) -> String {
    Documents::edit_in_parts(text, |part| Some(patch_all(part, given))).unwrap()
}

fn patched(text: &str, given: &str) -> Unchecked {
    let schema = Schema::new();
    let options = PatchOptions {
        schema: &schema,
        keys: ListKeys::Smp,
        order: ListOrder::Stable(kmerge_core::ListOrder::Neighbour),
    };
    let (stream, given) = (Stream::parse(text).unwrap(), Stream::parse(given).unwrap());
    let (file, patches) = (value::Source::new(&stream), [value::Source::new(&given)]);
    let mut documents = Documents::for_patches(&file, &patches);
    let given = documents.patch_value(0, given.documents().next().unwrap()).unwrap().unwrap();
    for object in Object::all(std::slice::from_ref(&file)) {
        documents.patch(&object, &given, PatchKind::Strategic, options).unwrap();
    }
    documents.unchecked().unwrap().unwrap()
}

/// Applies a configuration: where there are many bare documents, part by part.
fn applied(live: &str, config: &str) -> String {
    let schema = Schema::new();
    let batch = Batch { live: &[live][..], config: &[config], last_applied: None };
    apply(batch, Options::new(&schema)).unwrap().texts.into_iter().next().flatten().unwrap()
}

/// The text with an end marker, so that it is applied to as a whole.
fn whole(text: &str) -> String {
    format!("{text}...\n")
}

/// So many ConfigMaps of 150 bytes.
fn small(count: usize, value: &str) -> String {
    let one = |number: usize| {
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: small-{number:05}\n  namespace: default\ndata:\n  a: {value}\n  \
             text: some text that is here\n  other: words\n"
        )
    };
    (0..count).map(one).collect()
}

#[test]
fn patches_and_applies_hold_little_at_once() {
    const KEYS: usize = 30_000;
    const OBJECTS: usize = 1_500;
    const SMALL: usize = 8_000;
    let (map, changed) = (config_map(KEYS, KEYS), config_map(KEYS, KEYS / 2));
    let (objects, images) = (deployments(OBJECTS, "app:1"), deployments(OBJECTS, "app:2"));
    let (small, others) = (small(SMALL, "one"), small(SMALL, "two"));
    let annotated = applied(&objects, &objects);
    // Where nothing stands between the objects, they are handled in parts, with the same result.
    assert_eq!(patch_parts(&objects, "spec: {replicas: 9}"), patch_all(&objects, "spec: {replicas: 9}"));
    assert_eq!(whole(&applied(&annotated, &images)), applied(&whole(&annotated), &images));
    let inputs = |texts: &[&String]| texts.iter().map(|text| text.len() as f64).sum::<f64>();
    let counted = [
        ("patch of a map", MOST_HELD, held(|| drop(patch_all(&map, "data: {k015000: new, n: '1'}"))) / inputs(&[&map])),
        (
            "patch of objects",
            MOST_HELD_IN_PARTS,
            held(|| drop(patch_parts(&objects, "spec: {replicas: 9, paused: null}"))) / inputs(&[&objects]),
        ),
        (
            "patch of small objects",
            MOST_HELD_IN_PARTS,
            held(|| drop(patch_parts(&small, "data: {a: 9}"))) / inputs(&[&small]),
        ),
        ("apply of a map", MOST_HELD, held(|| drop(applied(&map, &changed))) / inputs(&[&map, &changed])),
        ("apply of objects", MOST_HELD, held(|| drop(applied(&annotated, &images))) / inputs(&[&annotated, &images])),
        (
            "apply of small objects",
            MOST_HELD_WITH_REPORTS,
            held(|| drop(applied(&small, &others))) / inputs(&[&small, &others]),
        ),
        (
            "apply of objects at once",
            MOST_HELD,
            held(|| drop(applied(&whole(&annotated), &images))) / inputs(&[&annotated, &images]),
        ),
    ];
    // The texts themselves are held, too.
    let held = counted.map(|(name, allowed, times)| (name, allowed, times + 1.0));
    assert!(held.iter().all(|(_, allowed, times)| times <= allowed), "allowed, and counted: {held:?}");
}
