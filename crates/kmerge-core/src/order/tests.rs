//! Three orders in, one out; letters are tokens, stretches in conflict stand in brackets.

use super::*;

fn tokens(text: &str) -> Vec<usize> {
    text.bytes().map(usize::from).collect()
}

fn text(order: &[usize]) -> String {
    order.iter().map(|token| char::from(*token as u8)).collect()
}

fn merged(dest: &str, base: &str, incoming: &str) -> String {
    let orders = Slots { dest: Some(tokens(dest)), base: Some(tokens(base)), incoming: Some(tokens(incoming)) };
    let merged =
        merge(&orders, Rules { weight: Weight::Turns, both_changed: BothChanged::Conflict, first: Side::Dest });
    let stretch = |it: &Stretch| format!(" [{}|{}]", &dest[it.dest.clone()], &incoming[it.incoming.clone()]);
    text(&merged.order) + &merged.both_changed.iter().map(stretch).collect::<String>()
}

/// The result in both directions.
fn both(dest: &str, base: &str, incoming: &str) -> String {
    let (there, back) = (merged(dest, base, incoming), merged(incoming, base, dest));
    assert_eq!(there, back, "{dest} {base} {incoming}");
    there
}

#[test]
fn one_side_alone_gives_its_order() {
    assert_eq!(both("abc", "abc", "abc"), "abc");
    assert_eq!(both("cab", "abc", "abc"), "cab");
    assert_eq!(both("cab", "abc", "cab"), "cab");
}

#[test]
fn moves_that_have_nothing_to_do_with_each_other_are_both_made() {
    assert_eq!(both("bacd", "abcd", "abdc"), "badc");
    assert_eq!(both("bcdea", "abcde", "abdce"), "bdcea");
    assert_eq!(both("bac", "abc", "cab"), "cba");
}

#[test]
fn a_token_that_both_moved_elsewhere_is_in_conflict() {
    assert_eq!(merged("bacd", "abcd", "bcda"), "bacd [bacd|bcda]");
    assert_eq!(merged("bac", "abc", "acb"), "bac [bac|acb]");
    assert_eq!(merged("acb", "abc", "bac"), "acb [acb|bac]");
    assert_eq!(merged("zbacy", "zabcy", "zbcay"), "zbacy [bac|bca]");
}

#[test]
fn what_was_merged_already_stays() {
    assert_eq!(both("badc", "abcd", "abdc"), "badc");
    assert_eq!(both("bdcea", "abcde", "abdce"), "bdcea");
    assert_eq!(both("bdcea", "abcde", "bcdea"), "bdcea");
}

#[test]
fn a_new_token_stays_in_its_gap_if_its_neighbour_moves() {
    for weight in [Weight::Free, Weight::Counts, Weight::Turns] {
        let rules = Rules { weight, both_changed: BothChanged::Conflict, first: Side::Dest };
        for (dest, base, incoming, expected) in [
            ("dabc", "abcd", "abcdx", "dabcx"),
            ("bacd", "abcd", "abxcd", "baxcd"),
            ("bcda", "abcd", "xabcd", "xbcda"),
            // In no gap that the result has: behind its neighbour.
            ("ba", "ab", "axb", "bax"),
            ("cba", "abc", "axbc", "cbax"),
        ] {
            let orders = Slots::three(tokens(dest), tokens(base), tokens(incoming));
            assert_eq!(text(&merge(&orders, rules).order), expected, "{weight:?} {dest} {incoming}");
        }
    }
}

#[test]
fn what_one_side_has_stands_beside_its_neighbour() {
    assert_eq!(merged("axb", "ab", "ayb"), "axyb");
    assert_eq!(merged("xab", "ab", "yab"), "xyab");
    assert_eq!(both("xab", "ab", "aby"), "xaby");
    assert_eq!(merged("bca", "abc", "aybc"), "bcay [bca|aybc]");
    assert_eq!(both("bacd", "abcd", "abycd"), "baycd");
    assert_eq!(both("glwz", "wlgz", "wlgpz"), "glwpz");
    assert_eq!(both("bca", "abc", "yabc"), "ybca");
    assert_eq!(both("bax", "ab", "ab"), "bax");
    assert_eq!(both("abx", "ab", "ba"), "bax");
    assert_eq!(merged("x", "", "y"), "xy");
    assert_eq!(both("ac", "abc", "abyc"), "abyc");
    assert_eq!(both("aqnb", "aqb", "ayb"), "ayqnb");
    assert_eq!(both("xbyd", "abcd", "azcd"), "xazbycd");
    assert_eq!(both("cyad", "abcd", "bzd"), "bzcyad");
}

#[test]
fn what_both_put_behind_a_token_meets_also_where_one_side_moved_others() {
    let met = |dest: &str, base: &str, incoming: &str| {
        let orders = Slots { dest: Some(tokens(dest)), base: Some(tokens(base)), incoming: Some(tokens(incoming)) };
        let rules = Rules { weight: Weight::Turns, both_changed: BothChanged::Conflict, first: Side::Dest };
        let met = merge(&orders, rules).met;
        met.iter()
            .map(|it| format!("{}|{}", &dest[it.dest.clone()], &incoming[it.incoming.clone()]))
            .collect::<Vec<_>>()
    };
    assert_eq!(met("abgc", "abc", "abec"), ["g|e"]);
    assert_eq!(met("adbgc", "abcd", "abicd"), ["g|i"]);
    assert_eq!(met("abicd", "abcd", "adbgc"), ["i|g"]);
    assert_eq!(met("agbc", "abc", "abec"), [""; 0]);
}

/// The blocks of orders in which each token takes its turn; those in conflict are marked.
fn blocks_in(dest: &str, base: &str, incoming: &str) -> String {
    let [ours, was, theirs] = [dest, base, incoming].map(tokens);
    let blocks = blocks_of_turns(&ours, &was, &theirs).into_iter().map(|block| {
        let mark = if block.order.is_none() { "!" } else { "" };
        format!("{}|{}|{}{mark}", &dest[block.dest], &base[block.base], &incoming[block.incoming])
    });
    blocks.collect::<Vec<_>>().join(" ")
}

#[test]
fn where_turns_count_what_lost_its_neighbours_is_in_conflict_with_them() {
    assert_eq!(blocks_in("bca", "abc", "aybc"), "bca|abc|aybc!");
    assert_eq!(blocks_in("glwz", "wlgz", "wlpgz"), "glw|wlg|wlpg! z|z|z");
    assert_eq!(blocks_in("glwz", "wlgz", "wlgpz"), "glw|wlg|wlg z|z|z");
    assert_eq!(blocks_in("bacd", "abcd", "abycd"), "ba|ab|ab c|c|c d|d|d");
    assert_eq!(blocks_in("bcda", "abcd", "abycd"), "bcda|abcd|abycd");
    assert_eq!(blocks_in("ba", "ab", "aby"), "ba|ab|ab");
}

#[test]
fn what_both_added_has_the_place_that_both_gave_it() {
    assert_eq!(both("axb", "ab", "axb"), "axb");
    assert_eq!(both("bax", "ab", "axb"), "bax");
    assert_eq!(both("axyb", "ab", "axb"), "axyb");
    assert_eq!(merged("xab", "ab", "abx"), "xab [xab|abx]");
    assert_eq!(merged("axy", "a", "ayx"), "axy [xy|yx]");
}

#[test]
fn where_turns_do_not_count_what_both_added_stands_where_the_destination_has_it() {
    let rules = Rules { weight: Weight::Counts, both_changed: BothChanged::Conflict, first: Side::Dest };
    let orders = Slots { dest: Some(tokens("xba")), base: Some(tokens("ab")), incoming: Some(tokens("abx")) };
    let merged = merge(&orders, rules);
    assert_eq!((text(&merged.order).as_str(), merged.both_changed), ("xba", Vec::new()));
    // Unless it would come behind what both have behind it: `e` and `d`.
    let orders = Slots { dest: Some(tokens("beda")), base: Some(tokens("abcd")), incoming: Some(tokens("ecajdb")) };
    let merged = merge(&orders, rules);
    assert_eq!(merged.both_changed, [Stretch { dest: 0..4, incoming: 0..6 }]);
}

#[test]
fn the_incoming_order_is_taken_where_it_wins() {
    let rules = Rules { weight: Weight::Counts, both_changed: BothChanged::Take, first: Side::Incoming };
    let orders = Slots { dest: Some(tokens("bacx")), base: Some(tokens("abc")), incoming: Some(tokens("acby")) };
    assert_eq!(text(&merge(&orders, rules).order), "acbyx");
    let orders = Slots { base: None, ..orders };
    assert_eq!(text(&merge(&orders, rules).order), "bacyx");
}
