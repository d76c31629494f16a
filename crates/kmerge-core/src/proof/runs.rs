//! Neighbours that stand alike in all four trees, as one thing.
//!
//! Owns: finding them by their bytes. Most elements of a long list have not changed: a thing for each of them would cost more than the
//! rest of the proof. Invariant: the bytes of a run are the same in all trees, comments and blank lines included. Scalars of lists are
//! counted one by one, so they are never in a run. Ignores what is alike only in some trees.

use std::ops::Range;

use kyaml_ast::{Entry, Span};

use super::rows::{Row, TREES, Thing};

/// The entries of collections, those of a run as one thing.
pub(super) fn things_of<'t>(entries: &Row<Vec<Entry<'t>>>) -> Row<Vec<Thing<'t>>> {
    let runs = match entries.each_ref().map(Option::as_ref) {
        [Some(base), Some(ours), Some(theirs), Some(result)] => runs([base, ours, theirs, result]),
        _ => Default::default(),
    };
    std::array::from_fn(|tree| Some(joined(entries[tree].as_ref()?, &runs[tree])))
}

/// Things for entries, one for each of some runs.
fn joined<'t>(entries: &[Entry<'t>], runs: &[Range<usize>]) -> Vec<Thing<'t>> {
    let mut things = Vec::new();
    let mut next = 0;
    for run in runs {
        things.extend(entries[next..run.start].iter().copied().map(Thing::of_entry));
        let (first, last) = (entries[run.start], entries[run.end - 1]);
        let extent = Span::new(first.extent().start, last.extent().end);
        things.push(Thing { extent, key: None, ..Thing::of_entry(first) });
        next = run.end;
    }
    things.extend(entries[next..].iter().copied().map(Thing::of_entry));
    things
}

/// The runs of each tree: as many in each, at the start and at the end, and where all trees have as many entries, between.
fn runs(entries: [&Vec<Entry<'_>>; TREES]) -> [Vec<Range<usize>>; TREES] {
    let strips = entries.map(|entries| strips(entries));
    let counts = strips.each_ref().map(Vec::len);
    let is_alike = |at: [usize; TREES]| (1..TREES).all(|tree| strips[tree][at[tree]] == strips[0][at[0]]);
    if counts == [counts[0]; TREES] {
        let alike: Vec<bool> = (0..counts[0]).map(|at| is_alike([at; TREES])).collect();
        let found: Vec<_> = stretches(&alike).into_iter().filter_map(|strips| run(entries[0], strips)).collect();
        return std::array::from_fn(|_| found.clone());
    }
    let [head, tail] = alike_ends(counts, is_alike);
    std::array::from_fn(|tree| {
        let ends = [0..head, counts[tree] - tail..counts[tree]];
        ends.into_iter().filter_map(|strips| run(entries[tree], strips)).collect()
    })
}

/// How many things are alike at the start, and how many behind these at the end, of several lists of these lengths.
pub(crate) fn alike_ends<const N: usize>(counts: [usize; N], is_alike: impl Fn([usize; N]) -> bool) -> [usize; 2] {
    let shortest = counts.into_iter().min().unwrap_or_default();
    let head = (0..shortest).take_while(|at| is_alike([*at; N])).count();
    let tail = (0..shortest - head).take_while(|at| is_alike(counts.map(|count| count - 1 - at))).count();
    [head, tail]
}

/// Where neighbours are all marked.
fn stretches(marks: &[bool]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut end = 0;
    for marks in marks.chunk_by(|a, b| a == b) {
        let start = end;
        end += marks.len();
        if marks[0] {
            found.push(start..end);
        }
    }
    found
}

/// The bytes from each entry to the next one.
fn strips<'t>(entries: &[Entry<'t>]) -> Vec<&'t str> {
    let start = |entry: &Entry<'_>| entry.key().unwrap_or(entry.value()).full_span().start;
    let starts: Vec<u32> = entries.iter().map(start).collect();
    let source = entries.first().map_or("", |entry| entry.stream().source());
    starts.windows(2).map(|pair| Span::new(pair[0], pair[1]).of(source)).collect()
}

/// The entries with strips that are alike on both sides of them, if they are more than one.
fn run(entries: &[Entry<'_>], strips: Range<usize>) -> Option<Range<usize>> {
    let run = strips.start + 1..strips.end;
    let may_join = |entry: &Entry<'_>| entry.key().is_some() || entry.value().kind().is_collection();
    (run.len() > 1 && entries[run.clone()].iter().all(may_join)).then_some(run)
}

#[cfg(test)]
mod tests {
    use kyaml_ast::{Node, Stream};

    use super::*;

    /// The things of four lists or mappings, by their bytes.
    fn things(texts: [&str; TREES]) -> [Vec<String>; TREES] {
        let streams = texts.map(|text| Stream::parse(text).unwrap());
        let roots: [Node<'_>; TREES] =
            std::array::from_fn(|tree| streams[tree].documents().next().unwrap().root().unwrap());
        let entries = roots.map(|root| Some(root.entries().collect()));
        let text = |thing: &Thing<'_>| thing.text().to_owned();
        things_of(&entries).map(|things| things.unwrap().iter().map(text).collect())
    }

    #[test]
    fn what_stands_around_a_change_is_one_thing() {
        let text = |value: u32| format!("a: 1\n# b\nb: 1 # why\n\nc: 1\nd: {value}\ne: 1\nf: 1\n# g\ng: 1\nh: 1\n");
        let [old, new] = [text(1), text(2)];
        let all = things([&old, &new, &old, &new]);
        assert_eq!(all[0], ["a: 1\n", "# b\nb: 1 # why\n\nc: 1\n", "d: 1\n", "e: 1\n", "f: 1\n# g\ng: 1\n", "h: 1\n"]);
        assert_eq!(all[1][2], "d: 2\n");
    }

    #[test]
    fn where_a_tree_has_more_only_the_ends_are_joined() {
        let list = |middle: &str| format!("- [a]\n- [b]\n- [c]\n- [d]\n{middle}- [e]\n- [f]\n- [g]\n- [h]\n");
        let [old, new] = [list(""), list("- [x]\n")];
        let all = things([&old, &new, &old, &new]);
        let [head, tail] = [&["- [a]\n", "- [b]\n- [c]\n- [d]\n"][..], &["- [e]\n", "- [f]\n- [g]\n", "- [h]\n"]];
        assert_eq!(all[0], [head, tail].concat());
        assert_eq!(all[1], [head, &["- [x]\n"], tail].concat());
    }

    #[test]
    fn one_run_in_one_tree_is_one_in_all() {
        let [old, new] = ["- [a]\n- [b]\n- [c]\n- [d]\n", "- [a]\n- [b]\n- [x]\n- [c]\n- [d]\n"];
        let all = things([old, new, old, old]);
        assert_eq!(all.map(|things| things.len()), [4, 5, 4, 4]);
    }

    #[test]
    fn scalars_of_lists_are_counted_one_by_one() {
        let list = "- a\n- b\n- c\n- d\n";
        assert_eq!(things([list; TREES])[0].len(), 4);
    }

    #[test]
    fn what_not_all_have_is_not_joined() {
        let list = "- [a]\n- [b]\n- [c]\n- [d]\n";
        let stream = Stream::parse(list).unwrap();
        let entries: Vec<_> = stream.documents().next().unwrap().root().unwrap().entries().collect();
        let [base, ours, ..] = things_of(&[None, Some(entries.clone()), Some(entries.clone()), Some(entries)]);
        assert_eq!((base.is_none(), ours.unwrap().len()), (true, 4));
    }
}
