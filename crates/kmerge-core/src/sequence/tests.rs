//! What is paired with what, and what clashes.

use kyaml_ast::Stream;

use super::*;

/// Which elements are in one row, and the clashes, as indices.
fn aligned(dest: &str, base: &str, incoming: &str) -> String {
    aligned_of([dest, base, incoming], Places::Count)
}

fn aligned_of(texts: [&str; 3], places: Places) -> String {
    let streams = texts.map(|text| Stream::parse(text).unwrap());
    let [dest, base, incoming] = streams.each_ref().map(|stream| stream.documents().next().unwrap().root().unwrap());
    let (aligned, clashes) =
        align_sequences(&Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) }, places);
    let text =
        |node: Node<'_>, id: Option<EntryId>| id.map_or("-", |id| node.stream().node(id.value).text()).to_owned();
    let mut out: Vec<String> = Vec::new();
    for row in &aligned.rows {
        out.push([text(dest, row.dest), text(base, row.base), text(incoming, row.incoming)].join("/"));
    }
    for clash in clashes {
        let all =
            |node: Node<'_>, ids: &[EntryId]| ids.iter().map(|id| text(node, Some(*id))).collect::<Vec<_>>().join(",");
        out.push(format!("{}!{}!{}", all(dest, &clash.dest), all(base, &clash.base), all(incoming, &clash.incoming)));
    }
    out.join(" ")
}

#[test]
fn each_side_is_compared_with_the_base() {
    assert_eq!(aligned("[a, b]", "[a, b]", "[a, b]"), "a/a/a b/b/b");
    assert_eq!(aligned("[a, x]", "[a, b]", "[y, b]"), "a/a/y x/b/b");
    assert_eq!(aligned("[a]", "[a, b]", "[b]"), "a/a/- -/b/b");
    assert_eq!(aligned("[a, n]", "[a]", "[]"), "a/a/- n/-/-");
    assert_eq!(aligned("[a, n]", "[a]", "[m, a]"), "a/a/a n/-/- -/-/m");
}

#[test]
fn both_sides_at_one_place_clash() {
    assert_eq!(aligned("[a, n]", "[a]", "[a, m]"), "a/a/a n/-/- n!!m");
    assert_eq!(aligned("[a, p, q]", "[a, x]", "[a, y]"), "a/a/a p/-/- q/-/- p,q!x!y");
    assert_eq!(aligned("[a, p, q]", "[a, x]", "[a]"), "a/a/a p/-/- q/-/- p,q!x!");
    assert_eq!(aligned("[a, n]", "[a]", "[a, n]"), "a/a/a n/-/n");
}

#[test]
fn moved_elements_are_found() {
    assert_eq!(aligned("[b, c, a]", "[a, b, c]", "[b, c]"), "b/b/b c/c/c a/a/-");
    assert_eq!(aligned("[b, c, a]", "[a, b, c]", "[a, b, c]"), "b/b/b c/c/c a/a/a");
    assert_eq!(aligned("[b, n]", "[a, b]", "[n, b]"), "b/b/b n/a/n");
}

#[test]
fn additions_of_both_sides_at_two_places_clash() {
    assert_eq!(aligned("[n, a, b]", "[a, b]", "[a, b, n]"), "n/-/- a/-/- b/-/- n,a,b!a,b!a,b,n");
    assert_eq!(aligned("[n, m, a, b]", "[a, b]", "[a, n, b]"), "n/-/- m/-/- a/-/- b/b/b n,m,a!a!a,n");
}

#[test]
fn a_reordered_stretch_clashes_where_both_sides_add_at_one_place() {
    assert_eq!(
        aligned("[b, c, {n: 1}, e, a]", "[a, b, c, {d: 1}, e]", "[a, b, c, {m: 1}, e]"),
        "b/-/- c/-/- {n: 1}/-/- e/-/- a/-/- b,c,{n: 1},e,a!a,b,c,{d: 1},e!a,b,c,{m: 1},e"
    );
}

#[test]
fn what_replaced_an_element_here_and_was_added_beside_it_there_clashes() {
    assert_eq!(aligned("[n, b]", "[a, b]", "[n, a, b]"), "n/-/- b/b/b n!a!n,a");
    assert_eq!(aligned("[n, a, b]", "[a, b]", "[n, b]"), "n/-/- a/-/- b/b/b n,a!a!n");
    assert_eq!(aligned("[n, b]", "[a, b]", "[n, b, c]"), "n/a/n b/b/b -/-/c");
}

#[test]
fn what_one_side_moved_and_changed_is_one_element() {
    let (base, moved) = ("[{a: 1, b: 2, c: 3}, k]", "[k, {a: 1, b: 2, c: 4}]");
    assert_eq!(aligned(moved, base, "[k]"), "k/k/k {a: 1, b: 2, c: 4}/{a: 1, b: 2, c: 3}/-");
    assert_eq!(aligned("[k]", base, moved), "k/k/k -/{a: 1, b: 2, c: 3}/{a: 1, b: 2, c: 4}");
    assert_eq!(aligned(moved, base, moved), "k/k/k {a: 1, b: 2, c: 4}/{a: 1, b: 2, c: 3}/{a: 1, b: 2, c: 4}");
    assert_eq!(aligned("[k]", base, "[k, {a: 1, x: 2, y: 4}]"), "k/k/k -/-/{a: 1, x: 2, y: 4}");
}

#[test]
fn what_took_a_place_that_the_other_side_left_alone_is_no_clash_with_its_neighbours() {
    let base = "[{u: a1}, {u: b1}, {r: t}]";
    assert_eq!(
        aligned("[{u: a2}, {u: b1}, {r: v}, {r: t}]", base, "[{u: a1}, {u: b2}, {r: t2}]"),
        "{u: a2}/{u: a1}/{u: a1} {u: b1}/{u: b1}/{u: b2} {r: v}/-/- {r: t}/{r: t}/{r: t2}"
    );
    assert_eq!(
        aligned("[{u: x}, {r: t}]", "[{u: a}, {r: t}]", "[{u: a, w: 1}, {r: t}]"),
        "{u: x}/-/- {r: t}/{r: t}/{r: t} {u: x}!{u: a}!{u: a, w: 1}"
    );
}

#[test]
fn moves_that_have_nothing_to_do_with_each_other_are_no_clash() {
    assert_eq!(aligned("[b, a, c, d]", "[a, b, c, d]", "[a, b, d, c]"), "b/b/b a/a/a c/c/c d/d/d");
    assert_eq!(aligned("[b, a, c]", "[a, b, c]", "[a, q, b, c]"), "b/-/- a/-/- c/c/c b,a!a,b!a,q,b");
    assert_eq!(aligned("[b, a, c]", "[a, b, c]", "[a, b, c, q]"), "b/b/b a/a/a c/c/c -/-/q");
    assert_eq!(aligned("[b, a]", "[a, b]", "[a, b, q]"), "b/b/b a/a/a -/-/q");
}

#[test]
fn words_of_both_sides_at_one_place_are_no_clash() {
    let words = |dest, base, incoming| aligned_of([dest, base, incoming], Places::Free);
    assert_eq!(words("[a, n]", "[a]", "[a, m]"), "a/a/a n/-/- -/-/m");
    assert_eq!(words("[a, n]", "[a]", "[a, n, m]"), "a/a/a n/-/n -/-/m");
    assert_eq!(words("[a, p]", "[a, x]", "[a, y]"), "a/a/a p/x/y");
    assert_eq!(words("[a, p, q]", "[a, x]", "[a, y]"), "a/a/a p/-/- q/-/- p,q!x!y");
    assert_eq!(words("[a, -n]", "[a]", "[a, -m]"), "a/a/a -n/-/- -n!!-m");
    assert_eq!(words("[a, a, n]", "[a, a]", "[a, a, m]"), "a/a/a a/a/a n/-/- n!!m");
    // A word that one side put elsewhere, and the other in the place of some, is one: its place is in conflict.
    let both = words("[a, f, b, d, e]", "[a, b, d, e]", "[a, b, m, f]");
    assert_eq!(both, "a/a/a f/-/- b/-/- d/-/- e/e/- f,b,d!b,d!b,m,f");
}

#[test]
fn mappings_of_both_sides_at_one_place_are_no_clash_unless_alike_or_in_turn() {
    let (base, ours, theirs) = ("[{a: 1}]", "[{a: 1}, {b: 2}]", "[{a: 1}, {c: 3}]");
    let kept = "{a: 1}/{a: 1}/{a: 1} {b: 2}/-/-";
    for (places, expected) in [
        (Places::Free, format!("{kept} -/-/{{c: 3}}")),
        (Places::MayCount, format!("{kept} {{b: 2}}!!{{c: 3}}")),
        (Places::Count, format!("{kept} {{b: 2}}!!{{c: 3}}")),
    ] {
        assert_eq!(aligned_of([ours, base, theirs], places), expected, "{places:?}");
    }
    let alike = ["[{a: 1}, {b: x, c: y, d: 1}]", base, "[{a: 1}, {b: x, c: y, d: 2}]"];
    assert!(aligned_of(alike, Places::Free).ends_with("{b: x, c: y, d: 1}!!{b: x, c: y, d: 2}"));
}

#[test]
fn scalars_with_other_neighbours_are_other_additions() {
    assert_eq!(aligned("[-v, x, a, b]", "[a, b]", "[a, -v, y, b]"), "-v/-/- x/-/- a/a/a b/b/b -/-/-v -/-/y");
}

#[test]
fn two_new_orders_clash() {
    assert_eq!(aligned("[a, c, b]", "[a, b, c]", "[b, a, c]"), "a/-/- c/-/- b/-/- a,c,b!a,b,c!b,a,c");
    assert_eq!(aligned("[b, a, c]", "[a, b, c]", "[b, a, c]"), "b/b/b a/a/a c/c/c");
}

#[test]
fn a_clash_holds_all_of_what_moved_into_it_or_out_of_it() {
    let (base, moved) = ("[w, l, g, z]", "[g, l, w, z]");
    assert_eq!(aligned(moved, base, "[w, l, p, g, z]").split(' ').next_back(), Some("g,l,w!w,l,g!w,l,p,g"));
    assert_eq!(aligned("[w, l, p, g, z]", base, moved).split(' ').next_back(), Some("w,l,p,g!w,l,g!g,l,w"));
    assert_eq!(aligned(moved, base, "[w, l, g, p, z]"), "g/g/g l/l/l w/w/w z/z/z -/-/p");
}

#[test]
fn a_clash_takes_in_what_its_new_elements_may_have_replaced() {
    assert_eq!(aligned("[x, w, y]", "[v, x, y]", "[v, y, x]").split(' ').next_back(), Some("x,w,y!v,x,y!v,y,x"));
    assert_eq!(aligned("[v, y, x]", "[v, x, y]", "[x, w, y]").split(' ').next_back(), Some("v,y,x!v,x,y!x,w,y"));
    assert_eq!(aligned("[x, w, y]", "[x, y, v]", "[y, x, v]").split(' ').next_back(), Some("x,w,y!x,y,v!y,x,v"));
    assert_eq!(
        aligned("[x, w, y]", "[v, k, x, y]", "[v, k, y, x]").split(' ').next_back(),
        Some("x,w,y!v,k,x,y!v,k,y,x")
    );
}

#[test]
fn changed_elements_are_found_by_likeness() {
    let base = "[{a: 1, b: 2, c: 3}, {x: 1, y: 2, z: 3}]";
    let dest = "[{x: 1, y: 2, z: 4}, {n: 1}]";
    assert_eq!(
        aligned(dest, base, base),
        "{x: 1, y: 2, z: 4}/{x: 1, y: 2, z: 3}/{x: 1, y: 2, z: 3} {n: 1}/-/- -/{a: 1, b: 2, c: 3}/{a: 1, b: 2, c: 3}"
    );
}

#[test]
fn what_both_added_with_different_ids_stands_one_after_the_other() {
    let aligned = |dest: &str, base: &str, incoming: &str| {
        let [dest, base, incoming] = [dest, base, incoming].map(|items| {
            let item = |item: &str| {
                let (id, rest) = item.split_at(1);
                format!("{{id: {id}, kind: outage, where: {rest}, why: storm}}")
            };
            format!("[{}]", items.split(' ').map(item).collect::<Vec<_>>().join(", "))
        });
        let all = aligned_of([&dest, &base, &incoming], Places::MayCount);
        all.contains('!')
    };
    assert!(!aligned("1east 2west", "1east", "1east 3north"));
    assert!(aligned("1east 2west", "1east", "1east 2north"), "one id");
    assert!(aligned("1east 2west", "1east", "1east 3west"), "nothing but the id differs");
    assert!(aligned("1east 1west", "1east", "1east 3north"), "an id twice");
}

#[test]
fn an_element_of_another_form_keeps_its_name() {
    let forms = |dest: &str, incoming: &str| aligned(dest, "[a, b, c]", incoming);
    assert_eq!(forms("[a, b: {v: 1}, c]", "[a, c]"), "a/a/a b: {v: 1}/b/- c/c/c");
    assert_eq!(forms("[a, {name: b, v: 1}, c: {v: 1}]", "[a, c]"), "a/a/a {name: b, v: 1}/b/- c: {v: 1}/c/c");
    assert_eq!(aligned("[b, c]", "[b: {v: 1}, c]", "[b: {v: 2}, c]"), "b/b: {v: 1}/b: {v: 2} c/c/c");
    // A value is no name, and two of one name are nobody's.
    assert_eq!(forms("[a, b: 1, c]", "[a, c]"), "a/a/a b: 1/-/- c/c/c b: 1!b!");
    assert_eq!(forms("[a, b: {v: 1}, {name: b}, c]", "[a, b, c]"), "a/a/a b: {v: 1}/-/- {name: b}/-/- c/c/c -/b/b");
    // Two forms are no one element.
    let clash = "a/a/a b: {v: 1}/-/- c/c/c b: {v: 1}!b!{name: b}";
    assert_eq!(forms("[a, b: {v: 1}, c]", "[a, {name: b}, c]"), clash);
    assert_eq!(forms("[a, b: {v: 1}, c]", "[a, b: {v: 1}, c]"), "a/a/a b: {v: 1}/b/b: {v: 1} c/c/c");
}
