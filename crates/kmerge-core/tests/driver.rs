//! Merges for git: every case under `fixtures/driver`, and the laws on each of them.
//!
//! A case holds `base`, `ours` and `theirs`, the wanted result `expected.yaml`, and `git.out`, what `git merge-file` makes
//! of it. `case.toml` says what it is `about`, and where it applies: the `style` of the markers, `order = "ours first"` where
//! the direction of the merge shows in the order of what both sides added, and why `git-is-wrong`. A known shortcoming has today's result in `expected.yaml` and the wanted one in `ideal.yaml`.

use std::path::{Path, PathBuf};

use kmerge_core::git::{Written, merge};
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::{ConflictStyle, Outcome, Policy, Rule, Schema, Side, Slots, markers, same_value};
use kyaml_ast::{Span, Stream};

struct Case {
    name: String,
    directory: PathBuf,
    base: Vec<u8>,
    ours: Vec<u8>,
    theirs: Vec<u8>,
    style: Style,
    /// Both directions give the same data, in the same order.
    ordered: bool,
    /// git's result is clean but wrong.
    git_is_wrong: bool,
}

impl Case {
    fn read(directory: &Path) -> Self {
        let read = |name: &str| std::fs::read(directory.join(name)).expect("a complete case");
        let settings = String::from_utf8(read("case.toml")).expect("settings are UTF-8");
        let has = |line: &str| settings.lines().any(|found| found == line);
        let style = match (has("style = \"diff3\""), has("style = \"zdiff3\"")) {
            (true, _) => Style::Diff3,
            (_, true) => Style::Zdiff3,
            _ => Style::Merge,
        };
        let name = directory.file_name().expect("a case has a name").to_string_lossy().into_owned();
        let ordered = !has("order = \"ours first\"");
        let git_is_wrong = settings.lines().any(|line| line.starts_with("git-is-wrong = "));
        let [base, ours, theirs] = ["base.yaml", "ours.yaml", "theirs.yaml"].map(read);
        Self { name, directory: directory.to_owned(), base, ours, theirs, style, ordered, git_is_wrong }
    }

    fn merge(&self) -> Written {
        run(&self.base, &self.ours, &self.theirs, self.style)
    }

    fn file(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.directory.join(name)).ok()
    }
}

fn run(base: &[u8], ours: &[u8], theirs: &[u8], style: Style) -> Written {
    let labels = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
    merge(Texts { base, ours, theirs }, &Schema::new()).write(&ConflictStyle::Markers { style, labels })
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/driver");
    let entries = std::fs::read_dir(root).expect("the suite exists");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    let cases: Vec<Case> = paths.iter().filter(|path| path.is_dir()).map(|path| Case::read(path)).collect();
    assert!(cases.len() >= 80, "the suite is not complete");
    cases
}

/// Runs `check` on every case and reports all failures together.
fn on_every_case(check: fn(&Case) -> Result<(), String>) {
    let failures: Vec<String> =
        cases().iter().filter_map(|case| check(case).err().map(|why| format!("--- {}: {why}", case.name))).collect();
    assert!(failures.is_empty(), "{} cases fail\n{}", failures.len(), failures.join("\n"));
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\r', "␍")
}

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

#[test]
fn results_are_as_expected() {
    on_every_case(|case| {
        let expected = case.file("expected.yaml").ok_or("there is no expected.yaml")?;
        let Written { text, conflict } = case.merge();
        let difference = || {
            let difference = kmerge_core::lines::unified(&expected, &text);
            format!("not as expected\n{}", shown(&difference))
        };
        ensure(text == expected, difference)?;
        ensure(conflict == has_hunks(&case.ours, &text), || format!("conflict: {conflict}"))?;
        let ideal = case.file("ideal.yaml");
        ensure(ideal != Some(text), || "the ideal is reached: make it the expectation".to_owned())
    });
}

fn has_hunks(ours: &[u8], text: &[u8]) -> bool {
    markers::hunks(text).len() > markers::hunks(ours).len()
}

#[test]
fn never_more_conflicts_than_git() {
    on_every_case(|case| {
        let git = case.file("git.out").ok_or("there is no git.out: run cargo xtask fixtures driver")?;
        let count = |text: &[u8]| markers::hunks(text).len();
        let (mine, theirs) = (count(&case.merge().text), count(&git));
        ensure(mine <= theirs || case.git_is_wrong, || format!("{mine} conflicts, git has {theirs}"))
    });
}

#[test]
fn an_unchanged_side_changes_nothing() {
    on_every_case(|case| {
        for side in [&case.ours, &case.theirs] {
            for (law, result) in [
                ("merge(b, x, b) = x", run(&case.base, side, &case.base, case.style)),
                ("merge(b, b, y) = y", run(&case.base, &case.base, side, case.style)),
                ("merge(b, x, x) = x", run(&case.base, side, side, case.style)),
            ] {
                ensure(result.text == **side && !result.conflict, || format!("{law} does not hold"))?;
            }
        }
        Ok(())
    });
}

#[test]
fn both_directions_agree() {
    on_every_case(|case| {
        let there = case.merge();
        let back = run(&case.base, &case.theirs, &case.ours, case.style);
        ensure(there.conflict == back.conflict, || {
            format!("one direction conflicts, the other does not\n{}\n{}", shown(&there.text), shown(&back.text))
        })?;
        if there.conflict || !case.ordered || case.file("ideal.yaml").is_some() {
            return Ok(());
        }
        ensure(same_data(&there.text, &back.text), || {
            format!("the data depends on the direction\n{}\n{}", shown(&there.text), shown(&back.text))
        })
    });
}

/// Whether two texts are equal, or hold the same documents.
fn same_data(a: &[u8], b: &[u8]) -> bool {
    let (Ok(left), Ok(right)) = (Stream::parse_bytes(a), Stream::parse_bytes(b)) else { return a == b };
    let (left, right) = (left.documents(), right.documents());
    let roots = |(a, b): (kyaml_ast::Document<'_>, kyaml_ast::Document<'_>)| match (a.root(), b.root()) {
        (Some(a), Some(b)) => same_value(a, b),
        (None, None) => true,
        _ => false,
    };
    a == b || left.zip(right).all(roots)
}

/// Markers may be smaller than any that could be told from content.
#[test]
fn small_markers_stand_around_the_right_sides() {
    let (base, ours) = ("a:\n- x: 1\n  y: 1\nb: 1\n", "a:\n- x: 1\n  y: 2\nb: 1\n");
    let theirs = "a:\n    - x: 1\n      y: 3\nb: 1\n";
    let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    let labels = Labels { size: 4, ours: "ours", base: "base", theirs: "theirs" };
    let written = merge(texts, &Schema::new()).write(&ConflictStyle::Markers { style: Style::Diff3, labels });
    let hunk = "<<<< ours\n      y: 2\n|||| base\n      y: 1\n====\n      y: 3\n>>>> theirs\n";
    assert_eq!(String::from_utf8_lossy(&written.text), format!("a:\n    - x: 1\n{hunk}b: 1\n"));
}

/// Where carriage returns alone end the lines, a comment that one side adds stays, too.
#[test]
fn comments_between_carriage_returns_are_kept() {
    let (base, ours, theirs) = (b"a: 1\rb: 2\rc: 3\r", b"a: 9\rb: 2\rc: 3\r", b"a: 1\r# why\rb: 2\rc: 3\r");
    for (ours, theirs) in [(&ours[..], &theirs[..]), (&theirs[..], &ours[..])] {
        let written = run(base, ours, theirs, Style::Merge);
        let text = String::from_utf8_lossy(&written.text);
        assert!(!written.conflict && text.starts_with("a: 9\r") && text.contains("\r# why\rb: 2\r"), "{text:?}");
    }
}

#[test]
fn a_side_can_be_chosen_where_the_sides_disagree() {
    let sides: [[&[u8]; 3]; 3] = [
        [b"a: 1\nb: 1\n", b"a: 2\nb: 1\n", b"a: 3\nb: 1\n"],
        // A template is merged line by line.
        [b"{{ if a }}\na: 1\n", b"{{ if a }}\na: 2\n", b"{{ if a }}\na: 3\n"],
        [b"\0a", b"\0b", b"\0c"],
    ];
    for [base, ours, theirs] in sides {
        let schema = Schema::new();
        let merged = merge(Texts { base, ours, theirs }, &schema);
        let chosen =
            [ConflictStyle::Base, ConflictStyle::Dest, ConflictStyle::Incoming].map(|style| merged.write(&style));
        assert!(chosen.iter().all(|written| written.conflict));
        assert_eq!(chosen.map(|written| written.text), [base, ours, theirs]);
    }
}

/// The values of a text, without layout and comments.
fn said(text: &str) -> String {
    let values = text.lines().filter_map(|line| line.split('#').next());
    values.flat_map(str::chars).filter(|char| char.is_alphanumeric()).collect()
}

/// What is in conflict as a whole: the texts of ours, base and theirs.
fn contested<'t>(sides: &'t [Vec<u8>; 3], schema: &Schema) -> Option<Vec<Slots<&'t str>>> {
    let [ours, base, theirs] = sides;
    let merged = merge(Texts { base, ours, theirs }, schema);
    merged.contests_more()?;
    let streams = sides.each_ref().map(|text| Stream::parse_bytes(text).expect("YAML"));
    let plan = kmerge_core::merge(
        Slots { dest: Some(&streams[0]), base: Some(&streams[1]), incoming: Some(&streams[2]) },
        schema,
        &Policy::GIT,
    )
    .expect("a plan");
    let decisions = merged.decisions(&plan).into_iter();
    let conflicts: Vec<_> = decisions.filter(|decision| decision.outcome == Outcome::Conflict).collect();
    let text = |spans: Slots<Span>, side: Side| {
        Some(&std::str::from_utf8(&sides[side as usize]).ok()?[spans.get(side)?.range()])
    };
    let texts = |spans: Slots<Span>| Slots {
        dest: text(spans, Side::Dest),
        base: text(spans, Side::Base),
        incoming: text(spans, Side::Incoming),
    };
    for decision in &conflicts {
        let Slots { dest, base, incoming } = texts(decision.spans).map(said);
        let other = if decision.rule == Rule::OnlyDest { incoming } else { dest };
        let is_of_one_side = matches!(decision.rule, Rule::OnlyDest | Rule::OnlyIncoming);
        assert!(!is_of_one_side || other == base, "{decision:?}: {other:?}, base {base:?}");
    }
    Some(conflicts.iter().map(|decision| texts(decision.spans)).collect())
}

#[test]
fn what_is_in_conflict_as_a_whole_is_reported_where_the_file_has_it() {
    let schema = Schema::new();
    let second = |text: &[u8]| [b"kind: B\nmetadata: {name: b}\nspec:\n", text].concat();
    let behind =
        |size: &str, text: &[u8]| [b"kind: A\nmetadata: {name: a}\nsize: ", size.as_bytes(), b"\n---\n", text].concat();
    let mut compared = 0;
    for case in cases() {
        let alone = [&case.ours, &case.base, &case.theirs].map(|text| second(text));
        let turned = [&case.theirs, &case.base, &case.ours].map(|text| second(text));
        for sides in [alone, turned] {
            let [ours, base, theirs] = &sides;
            let whole = [behind("200", ours), behind("1", base), behind("1", theirs)];
            if let (Some(alone), Some(whole)) = (contested(&sides, &schema), contested(&whole, &schema)) {
                assert_eq!(alone, whole, "{}", case.name);
                compared += alone.len();
            }
        }
    }
    assert!(compared > 10, "{compared} conflicts");
}
