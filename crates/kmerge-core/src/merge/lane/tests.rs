//! Three lanes in, one out. `#x` is a comment, `##x` a list item that was commented out, `_` a blank line. Anything
//! else is an entry: its side changed `x!` and emptied `x?`. `{#x|#y|#z}` is a conflict.

use super::{Disputed, Item, Token, What, merge};
use crate::slots::{Side, Slots};
use kmerge_testgen::Rng;

/// The last entry of all lanes.
const END: &str = "END";

/// What may follow the name of an entry.
const MARKS: [char; 2] = ['!', '?'];

fn rows(lanes: [&str; 3]) -> Vec<&str> {
    let mut rows: Vec<&str> = lanes.iter().flat_map(|lane| entries(lane)).collect();
    rows.push(END);
    rows.sort_unstable();
    rows.dedup();
    rows
}

fn is_row(token: &str) -> bool {
    !token.is_empty() && !token.starts_with('#') && token != "_"
}

/// The names of the entries of a lane.
fn entries(lane: &str) -> impl Iterator<Item = &str> {
    lane.split(' ').filter(|it| is_row(it)).map(|it| it.trim_end_matches(MARKS))
}

/// Entries that one side changed, and the other removed or emptied.
fn disputed([ours, _, theirs]: [&str; 3], rows: &[&str]) -> Disputed {
    let of = |changer: &str, other: &str, remover: Side| {
        let is_disputed = |row: &str| {
            changer.split(' ').any(|it| it.strip_suffix('!') == Some(row))
                && other.split(' ').all(|it| it.trim_end_matches('!') != row)
        };
        rows.iter().enumerate().filter(|(_, row)| is_disputed(row)).map(|(at, _)| (at, remover)).collect::<Vec<_>>()
    };
    of(ours, theirs, Side::Incoming).into_iter().chain(of(theirs, ours, Side::Dest)).collect()
}

fn tokens<'t>(lane: &'t str, rows: &[&str]) -> Vec<Token<'t>> {
    let mut above = 0;
    let mut tokens = Vec::new();
    for token in lane.split(' ').filter(|it| !it.is_empty()).chain([END]) {
        if token == "_" {
            above += 1;
            continue;
        }
        let row = rows.iter().position(|row| *row == token.trim_end_matches(MARKS) && !token.starts_with('#'));
        let what = row.map_or(What::Line(token), What::Entry);
        tokens.push(Token { what, above: std::mem::take(&mut above), is_about: !token.starts_with("##") });
    }
    tokens
}

/// Our entries without those that theirs removed, and each new entry of theirs after the one that it follows there.
fn order(lanes: [&str; 3], rows: &[&str]) -> Vec<usize> {
    let disputed = disputed(lanes, rows);
    let is_disputed = |row: &str| rows.iter().position(|it| *it == row).is_some_and(|at| disputed.contains_key(&at));
    let [ours, was, theirs] = lanes.map(|lane| entries(lane).collect::<Vec<_>>());
    let stays = |row: &&str| theirs.contains(row) || !was.contains(row) || is_disputed(row);
    let mut order: Vec<&str> = ours.iter().copied().filter(stays).collect();
    let mut before = None;
    for row in theirs {
        if !order.contains(&row) && !was.contains(&row) {
            let place = order.iter().position(|other| Some(*other) == before).map_or(0, |place| place + 1);
            let new = order[place..]
                .iter()
                .take_while(|other| !was.contains(other) && before.is_none_or(|it| was.contains(&it)))
                .count();
            order.insert(place + new, row);
        }
        if order.contains(&row) {
            before = Some(row);
        }
    }
    order.push(END);
    order.iter().filter_map(|row| rows.iter().position(|it| it == row)).collect()
}

fn show(lanes: [&str; 3]) -> String {
    shown(lanes, false)
}

/// Merges lanes and shows the result. With `is_ours_kept`, a conflict shows our new lines only.
fn shown(lanes: [&str; 3], is_ours_kept: bool) -> String {
    let rows = rows(lanes);
    let [dest, base, incoming] = lanes.map(|lane| tokens(lane, &rows));
    let sides = Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) };
    let text = |side: Side, place: usize| match sides.get(side).map(|lane| lane[place].what) {
        Some(What::Line(line)) => line,
        Some(What::Entry(row)) => rows[row],
        None => "",
    };
    let mut out: Vec<String> = Vec::new();
    for item in merge(&sides.as_ref().map(|lane| &lane[..]), &order(lanes, &rows), &disputed(lanes, &rows)) {
        let (Item::Token { above, .. } | Item::BothChanged { above, .. }) = &item;
        out.extend(std::iter::repeat_n("_".to_owned(), *above));
        out.push(match item {
            Item::Token { at, .. } => {
                at.present().next().map(|(side, place)| text(side, *place).to_owned()).unwrap_or_default()
            }
            Item::BothChanged { new, .. } if is_ours_kept => {
                let kept = new.dest.unwrap_or_default();
                out.extend(kept.into_iter().map(|place| text(Side::Dest, place).to_owned()));
                continue;
            }
            Item::BothChanged { lines, .. } => {
                let lines = lines
                    .present()
                    .map(|(side, places)| places.iter().map(|place| text(side, *place)).collect::<Vec<_>>().join(" "));
                format!("{{{}}}", lines.collect::<Vec<_>>().join("|"))
            }
        });
    }
    assert_eq!(out.pop().as_deref(), Some(END));
    out.join(" ")
}

/// Ours, base, theirs, and the result.
const CASES: &[[&str; 4]] = &[
    // Only one side changes something.
    ["#x a", "#x a", "#y a", "#y a"],
    ["a #x b", "a b", "a b", "a #x b"],
    ["a b", "a #x b", "a #x b", "a b"],
    ["a _ b", "a b", "a b", "a _ b"],
    // Blank lines at the top go with the entry above them.
    ["b", "a _ b", "a _ #x b", "#x b"],
    ["a _ #x b", "a _ b", "b", "#x b"],
    // One side changes an entry, the other comments it out; and entries that nobody changed.
    ["a #b c", "a b c", "a b! c", "a {#b||} c"],
    ["a b! c", "a b c", "a #b c", "a b {||#b} c"],
    ["#b c", "b c", "b! c", "{#b||} c"],
    ["a #b", "a b", "a b!", "a {#b||}"],
    ["a #b c", "a b c", "a b c", "a #b c"],
    ["a b c", "a b c", "a #b c", "a #b c"],
    ["a #b #c d", "a b c d", "a b! c d", "a {#b #c||} d"],
    ["a #b c #d", "a b c d", "a b! c d", "a {#b||} c #d"],
    ["#a #b _ c", "#a _ c", "#x _ c", "#x #b _ c"],
    ["a b? #x c", "a b c", "a b! c", "a b {#x||} c"],
    ["a b! c", "a b c", "a b? #x _ #y c", "a b {||#x} _ #y c"],
    // A section goes, and the heading of the next one changes.
    ["#- #2 #- b", "#- #1 #- a #- #b #- b", "#- #b #- b", "#- #2 #- b"],
    ["#- #1 #- a #- #2 #- b", "#- #1 #- a #- #b #- b", "#- #b #- b", "#- #2 #- b"],
    // Each side changes another line of one block.
    ["#1 #b #c a", "#a #b #c a", "#a #b #3 a", "#1 #b #3 a"],
    ["#1 #b a", "#a #b a", "#a #2 a", "#1 #2 a"],
    // One side removes a line, the other adds one beside it.
    ["a", "a #x", "a #x #y", "a #y"],
    ["#y a", "#x #y a", "#x a", "a"],
    // Both sides change one line.
    ["#1 a", "#x a", "#2 a", "{#1|#x|#2} a"],
    ["a", "#x a", "#2 a", "{|#x|#2} a"],
    ["#1 a", "#x a", "#1 a", "#1 a"],
    ["#1 #2 a", "#x a", "#1 a", "#1 #2 a"],
    // Both sides remove one line, and one side changes its neighbour.
    ["#a a", "#a #b a", "#1 a", "#1 a"],
    ["#c a", "#b #c a", "#1 a", "#1 a"],
    ["x #c a", "#b #c a", "x #1 a", "x #1 a"],
    // Both sides put an entry below the lines that they change.
    ["z #d x", "z #c a b", "z #i a x", "z #d x"],
    ["z #d _ x", "z #c _ a b", "z #i _ a x", "z {#d|#c|#i} _ x"],
    // Both sides insert.
    ["#1 a", "a", "#2 a", "#1 #2 a"],
    ["#one-two a", "a", "#one-three a", "{#one-two||#one-three} a"],
    ["#1 a", "a", "#1 a", "#1 a"],
    ["#1 #2 a", "a", "#1 a", "#1 #2 a"],
    ["a #1 x", "a", "a #2 y", "a #1 x #2 y"],
    ["a #1 x b", "a b", "a #2 b", "a #1 x #2 b"],
    ["a #2 b", "a b", "a #1 x b", "a #1 x #2 b"],
    ["a #n x", "a #n", "a #n y", "a #n x y"],
    // Both sides put one entry, with its line, after the same entry, which moved.
    ["a m #s x #2 n", "a #n n m", "a m #s x #n n", "a m #s x #2 n"],
    // One side removes lines below which the other put an entry.
    ["s #x n _ p", "s #x _ p", "s _ p", "s {#x|#x|} n _ p"],
    ["#x n #y m p", "#x #y p", "p", "{#x|#x|} n {#y|#y|} m p"],
    ["p", "#x #y p", "#x n #y m p", "{|#x|#x} n {|#y|#y} m p"],
    ["s #x n p", "s #x p", "s #y p", "s #y n p"],
    // An entry goes, with the lines above it.
    ["a c", "a #b b c", "a #b b c", "a c"],
    ["a #b c", "a #b b c", "a #b b c", "a #b c"],
    ["a c", "a #b b c", "a #b2 b c", "a c"],
    ["a #c c", "a #b b c", "a #b b c", "a #c c"],
    ["#h x c", "#h b c", "#h b y c", "#h x y c"],
    // A side has the line above another entry: it stays.
    ["#x n p", "#x a p", "#y a p", "#y n p"],
    ["#x #b b", "#x a #b b", "#y a #b b", "#y #b b"],
    ["#x p", "#x #z a p", "#y #z a p", "#y p"],
    // A list item that was commented out stays.
    ["a ##b c d", "a b c d", "a b d", "a ##b d"],
    ["a ##b #c c d", "a b #c c d", "a b d", "a ##b d"],
    ["a ##b d", "a ##b c d", "a ##b c d", "a ##b d"],
    ["c a ##b d", "a ##b c d", "a ##b c d", "c a ##b d"],
    ["a d", "a ##b c d", "a ##b c d", "a d"],
    // A heading stands above a new entry.
    ["a #h _ b", "a b", "a #h _ n _ b", "a #h _ n _ b"],
    ["h c", "#h b h c", "#h b n h c", "n h c"],
    // An entry moves with its comment.
    ["b #a a c", "#a a b c", "#a2 a b c", "b #a2 a c"],
    ["#a a b c", "#a a b c", "b #a a c", "#a a b c"],
    // An entry moves to between two; the other side puts lines there. They stay above what they are set off with, or directly below
    // the first of the two.
    ["b a c", "a b c", "a b _ #x _ c", "b a _ #x _ c"],
    ["b c a d", "a b c d", "a b c #x _ d", "b c #x _ a d"],
    ["b a c", "a b c", "a b _ #x c", "b a _ #x c"],
    // A heading moves with its entry.
    ["c b _ #h _ a", "c _ #h _ a b", "c _ #h _ a b", "c b _ #h _ a"],
    ["c b _ #h _ a", "c _ #h _ a b", "c _ #h _ a b x", "c b x _ #h _ a"],
    // A moved entry gets a comment that equals a line elsewhere in the base.
    ["#- #n a o #- #g g", "#- #n a g o", "m #- #n a g o", "m #- #n a o #- #g g"],
    ["m #- #n a g o", "#- #n a g o", "#- #n a o #- #g g", "m #- #n a #- #g g o"],
    // Lines that differ only in spacing.
    ["#x a", "#x a", "#x a #y", "#x a #y"],
    ["s b", "#s #h #p b", "#s #h #q b", "s {|#s #h #p|#s #h #q} b"],
    // Both sides bring one comment, with a new entry of their own below it.
    ["a #n x", "a", "a #n y", "a #n x y"],
    ["#n q #n a", "#n a", "#n z #n a", "#n q #n z #n a"],
    // A side puts lines in the place of an entry. The next entry goes: they stay. Lines in the place of its own comments go with it.
    ["a #b c", "a b c", "#a b c", "#a #b c"],
    ["a #b", "a b", "#a b", "#a #b"],
    ["a b d", "a b c d", "a #b c d", "a #b d"],
    ["a b d", "a b #c c d", "a #x c d", "a d"],
    // Blank lines between what each side brought: as it has them above; none between comments about one entry.
    ["a b _ #s z", "a _ #s z", "a c _ #s z", "a b c _ #s z"],
    ["a _ b _ z", "a _ z", "a _ c _ z", "a _ b _ c _ z"],
    ["w _ #p a", "w _ a", "w _ #q a", "w _ #p #q a"],
    ["#l _ #d a", "#d a", "#e a", "#l _ #e a"],
    // Entries that were comments before.
    ["b #c #x z", "#b #x #c #x z", "#b #x c z", "b c z"],
    ["a b e", "a #b #d", "a #b #d #e", "a b e #e"],
];

#[test]
fn lanes_become_one() {
    for [ours, base, theirs, expected] in CASES {
        assert_eq!(show([ours, base, theirs]), *expected, "{ours:?} <- {base:?} -> {theirs:?}");
    }
}

#[test]
fn the_second_merge_changes_nothing() {
    for [_, base, theirs, merged] in CASES.iter().filter(|case| !case[3].contains('{')) {
        assert_eq!(show([merged, base, theirs]), *merged, "{base:?} -> {theirs:?}");
    }
}

#[test]
fn swapping_the_sides_changes_no_line() {
    for [ours, base, theirs, _] in CASES {
        let tokens = |lanes: [&str; 3]| {
            let text = show(lanes);
            // An entry that ours removed and theirs changed is not in the lane.
            let is_changed = |token: &str| [ours, theirs].iter().any(|side| side.contains(&format!("{token}!")));
            let is_told = |token: &&str| !token.is_empty() && *token != "_" && !is_changed(token);
            let mut tokens: Vec<String> = text.split(['{', '}', ' ', '|']).filter(is_told).map(str::to_owned).collect();
            tokens.sort_unstable();
            tokens
        };
        assert_eq!(tokens([ours, base, theirs]), tokens([theirs, base, ours]), "{ours:?} <- {base:?} -> {theirs:?}");
    }
}

/// Changes a lane of the base at random: lines and entries come and go.
fn varied(base: &[&'static str], random: &mut Rng) -> Vec<&'static str> {
    const NEW: [&str; 7] = ["#p", "#q", "#r", "_", "x", "y", "z"];
    let mut lane = base.to_vec();
    for _ in 0..1 + random.below(3) {
        let place = random.below(lane.len() + 1);
        let new = random.pick(&NEW);
        match random.below(3) {
            0 if place < lane.len() => _ = lane.remove(place),
            _ if !is_row(new) || !lane.contains(&new) => lane.insert(place, new),
            _ => {}
        }
    }
    lane
}

#[test]
fn laws_hold_on_random_lanes() {
    const TRIPLES: usize = 5_000;
    const TOKENS: [&str; 8] = ["#a", "#b", "#c", "_", "k", "l", "m", "n"];
    let mut random = Rng::new(7);
    let mut broken = Vec::new();
    for _ in 0..TRIPLES {
        let mut base: Vec<&str> = Vec::new();
        for _ in 0..random.below(7) {
            let token = random.pick(&TOKENS);
            if !base.contains(&token) || token == "_" {
                base.push(token);
            }
        }
        let [ours, theirs] = [varied(&base, &mut random), varied(&base, &mut random)].map(|lane| lane.join(" "));
        let base = base.join(" ");
        let merged = show([&ours, &base, &theirs]);
        let turned = show([&theirs, &base, &ours]);
        let lines = |text: &str| {
            let mut lines: Vec<String> =
                text.split(['{', '}', ' ', '|']).filter(|it| it.starts_with('#')).map(str::to_owned).collect();
            lines.sort_unstable();
            lines
        };
        if lines(&merged) != lines(&turned) {
            broken.push(format!("turned: {ours:?} <- {base:?} -> {theirs:?}: {merged:?} {turned:?}"));
        }
        let kept = shown([&ours, &base, &theirs], true);
        let again = shown([&kept, &base, &theirs], true);
        if lines(&again) != lines(&kept) {
            broken.push(format!("again: {ours:?} <- {base:?} -> {theirs:?}: {kept:?} {again:?}"));
        }
    }
    // If both sides bring the same tokens in different orders, it is not clear which of them moved.
    assert!(broken.len() < 3 * TRIPLES / 1_000, "{} broken, such as\n{}", broken.len(), broken[..12].join("\n"));
}
