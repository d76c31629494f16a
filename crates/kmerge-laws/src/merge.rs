//! What holds for every merge of streams.

mod beside;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use kmerge_core::check::Fault;
use kmerge_core::lines::{Labels, Style};
use kmerge_core::markers::hunks;
use kmerge_core::{
    BothChanged, ConflictStyle, Directives, ListOrder, MergeError, Nulls, Outcome, Plan, Policy, Removal, Resource,
    Role, Rule, Schema, Slots, Unkeyed, merge, render, same_value,
};
use kyaml_ast::{Acceptance, Document, Kind, Node, Path, Segment, Stream};

use crate::{Broken, law, tiling};
use beside::beside;

static SCHEMA: LazyLock<Schema> = LazyLock::new(Schema::new);

const LABELS: Labels<'_> = Labels { size: 7, ours: "dest", base: "base", theirs: "incoming" };
pub(crate) const MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
const STYLES: [Style; 3] = [Style::Merge, Style::Diff3, Style::Zdiff3];

/// What is removed goes part by part only where the incoming side wins.
const WHOLE: Policy = Policy { removal: Removal::Whole, ..Policy::MERGE3 };

/// Policies whose nulls and directives are data, as the laws are about data.
const DATA: [Policy; 3] = [
    Policy::GIT,
    Policy { nulls: Nulls::Data, ..Policy::MERGE3 },
    Policy { nulls: Nulls::Data, both_changed: BothChanged::Conflict, order: ListOrder::Append, ..WHOLE },
];

/// Policies that clear nulls or execute directives.
const EXECUTING: [Policy; 3] = [
    Policy::MERGE3,
    Policy { both_changed: BothChanged::Keep, order: ListOrder::Prepend, ..WHOLE },
    Policy { directives: Directives::Execute, both_changed: BothChanged::Conflict, ..WHOLE },
];

/// A merge with its texts.
struct Case<'t> {
    base: Option<&'t str>,
    dest: &'t str,
    incoming: &'t str,
    policy: Policy,
}

impl<'t> Case<'t> {
    const fn with(&self, [base, dest, incoming]: [&'t str; 3]) -> Self {
        Self { base: Some(base), dest, incoming, policy: self.policy }
    }

    fn show(&self, broken: &Broken) -> Broken {
        let Self { base, dest, incoming, policy } = self;
        let base = base.unwrap_or("(none)");
        Broken(format!("{broken}\n--- base\n{base}\n--- dest\n{dest}\n--- incoming\n{incoming}\n--- {policy:?}"))
    }

    /// The result in one style; nothing where the inputs hold an unknown directive.
    fn merge(&self, style: &ConflictStyle<'_>) -> Result<Option<(String, Plan)>, Broken> {
        let [dest, base, incoming] = [Some(self.dest), self.base, Some(self.incoming)].map(|text| text.map(parsed));
        let (dest, base, incoming) = (dest.transpose()?, base.transpose()?, incoming.transpose()?);
        let sides = Slots { dest: dest.as_ref(), base: base.as_ref(), incoming: incoming.as_ref() };
        let plan = match merge(sides, &SCHEMA, &self.policy) {
            Ok(plan) => plan,
            Err(error) if is_expected(&error, &self.policy, sides.present().map(|(_, side)| *side)) => return Ok(None),
            Err(error) => return Err(self.show(&Broken(format!("no merge: {error}")))),
        };
        match render(&plan, sides, style) {
            Ok(text) => Ok(Some((text, plan))),
            Err(_) if sides.present().any(|(_, side)| may_be_refused(side)) => Ok(None),
            Err(error) => Err(self.show(&Broken(format!("cannot be written: {error}")))),
        }
    }

    /// Whether a side holds twins.
    fn holds_twins(&self) -> Result<bool, Broken> {
        for side in [self.base, Some(self.dest), Some(self.incoming)].into_iter().flatten() {
            if holds_twins(&parsed(side)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a side holds an alias without an anchor that a merge can bring there: by its name it is then another's.
    fn holds_stray_alias(&self) -> Result<bool, Broken> {
        let sides: Vec<Stream<'_>> = [self.base, Some(self.dest), Some(self.incoming)]
            .into_iter()
            .flatten()
            .map(parsed)
            .collect::<Result<_, _>>()?;
        let anchors: BTreeSet<&str> = sides.iter().flat_map(nodes).filter_map(Node::anchor).collect();
        Ok(sides.iter().any(|side| {
            faults(side).iter().any(|(fault, name)| *fault == Fault::UndefinedAlias && anchors.contains(name.as_str()))
        }))
    }

    /// Whether both sides gave a new anchor's name to different things.
    fn names_apart(&self) -> Result<bool, Broken> {
        let sides = [self.base.unwrap_or_default(), self.dest, self.incoming].map(parsed);
        let [base, dest, incoming] = sides;
        let (base, dest, incoming) = (base?, dest?, incoming?);
        let known: BTreeSet<&str> = nodes(&base).filter_map(Node::anchor).collect();
        let new = |node: &Node<'_>| node.anchor().is_some_and(|name| !known.contains(name));
        Ok(nodes(&dest)
            .filter(new)
            .any(|ours| nodes(&incoming).any(|theirs| theirs.anchor() == ours.anchor() && !same_value(ours, theirs))))
    }

    /// Whether both sides changed a list whose elements are told apart by what they are like, which a merge changes.
    fn pairs_by_likeness(&self) -> Result<bool, Broken> {
        let base = parsed(self.base.unwrap_or_default())?;
        let (dest, incoming) = (parsed(self.dest)?, parsed(self.incoming)?);
        let is_new = |side: &Stream<'_>| new_lists(side, &base).next().is_some();
        let has_nameless = [&dest, &base, &incoming].into_iter().any(|side| nodes(side).any(is_nameless));
        Ok(self.policy.unkeyed == Unkeyed::Elementwise && has_nameless && is_new(&dest) && is_new(&incoming))
    }

    fn must(&self, holds: bool, law: &str, got: &str) -> Result<(), Broken> {
        if holds { Ok(()) } else { Err(self.show(&Broken(format!("{law}; got\n{got}")))) }
    }
}

/// Checks that base, destination and incoming side (which are YAML) merge under every policy, and what came of it.
///
/// Results parse, in every style, and hold no fault that no input held; each side of their hunks parses. Where nulls and
/// directives are data: `merge(b, x, b) = x`, `merge(b, b, y) = y` in value, `merge(x, x, x) = x`, a result merged again
/// stays as it is, and for git both directions conflict at the same places.
///
/// # Errors
///
/// The law that does not hold, with the merge.
pub fn merges([base, dest, incoming]: [&str; 3]) -> Result<(), Broken> {
    for (old, new) in [(base, dest), (dest, incoming), (incoming, base)] {
        parsed_again(old, new)?;
    }
    for policy in DATA {
        let case = Case { base: Some(base), dest, incoming, policy };
        outcomes(&case)?;
        one_sided(&case)?;
        winners(&case)?;
    }
    let git = Case { base: Some(base), dest, incoming, policy: Policy::GIT };
    if has_stable_documents([base, dest, incoming]) && !git.holds_twins()? {
        swapped(&git)?;
    }
    for incoming in [dest, incoming] {
        beside(base, incoming)?;
    }
    for policy in EXECUTING {
        outcomes(&Case { base: Some(base), dest, incoming, policy })?;
    }
    outcomes(&Case { base: None, dest, incoming, policy: Policy::MERGE2 })
}

/// What is parsed with another stream at hand is what is parsed without.
fn parsed_again(old: &str, new: &str) -> Result<(), Broken> {
    let (again, anew) = (parsed(old)?.parse_again(new), Stream::parse(new));
    law(format!("{again:?}") == format!("{anew:?}"), || {
        format!("a text is parsed alike\n--- old\n{old}\n--- new\n{new}")
    })
}

/// What a merge gives in every style.
fn outcomes(case: &Case<'_>) -> Result<(), Broken> {
    let Some((text, plan)) = case.merge(&ConflictStyle::Dest)? else { return Ok(()) };
    valid(case, &text)?;
    if plan.conflicts.is_empty() {
        faultless(case, &text)?;
        // A cleared field that comes in again is no news.
        return if case.policy.nulls == Nulls::Data { again(case, &text) } else { Ok(()) };
    }
    for style in [ConflictStyle::Base, ConflictStyle::Incoming] {
        if let Some((text, _)) = case.merge(&style)? {
            valid(case, &text)?;
        }
    }
    STYLES.into_iter().try_for_each(|style| marked(case, style))
}

/// The result is YAML, and strictly so if all inputs are.
fn valid(case: &Case<'_>, text: &str) -> Result<(), Broken> {
    let shown = |error: Broken| case.show(&Broken(format!("{error}; got\n{text}")));
    let stream = parsed(text).map_err(shown)?;
    stream.check_tape().map_err(|error| shown(Broken(error.to_string())))?;
    tiling(&stream).map_err(shown)?;
    let is_strict = |text: &str| Stream::parse_with(text, Acceptance::Strict12).is_ok();
    let all_strict = [case.base, Some(case.dest), Some(case.incoming)].into_iter().flatten().all(is_strict);
    case.must(!all_strict || is_strict(text), "the result is strict where the inputs are", text)
}

/// The result holds no duplicate key, undefined alias or the like that no input held.
fn faultless(case: &Case<'_>, text: &str) -> Result<(), Broken> {
    if case.holds_twins()? {
        return Ok(());
    }
    let (mut known, mut is_nameless) = (BTreeSet::new(), false);
    for side in [case.base, Some(case.dest), Some(case.incoming)].into_iter().flatten() {
        let side = parsed(side)?;
        known.extend(faults(&side));
        is_nameless |= has_nameless_item(&side);
    }
    let may_be = |fault| may_be_new(fault, &case.policy) || is_nameless && fault == Fault::DuplicateElement;
    let new: Vec<_> = faults(&parsed(text)?).into_iter().filter(|fault| !known.contains(fault)).collect();
    let new: Vec<_> = new.into_iter().filter(|(fault, _)| !may_be(*fault)).collect();
    case.must(new.is_empty(), &format!("faults that no input had: {new:?}"), text)
}

/// Faults that a merge may bring: two members of a union are two fields to everybody but git's driver, and names may repeat.
fn may_be_new(fault: Fault, policy: &Policy) -> bool {
    match fault {
        Fault::SecondMember => *policy != Policy::GIT,
        Fault::RepeatedName | Fault::UndefinedAlias => true,
        _ => false,
    }
}

fn holds_stray_alias(stream: &Stream<'_>) -> bool {
    faults(stream).iter().any(|(fault, _)| *fault == Fault::UndefinedAlias)
}

fn faults(stream: &Stream<'_>) -> BTreeSet<(Fault, String)> {
    SCHEMA.check(stream).into_iter().map(|finding| (finding.fault, finding.name)).collect()
}

/// A result merged again stays as it is, unless nobody can tell the elements of a list apart, or an alias of a side means nothing
/// there or something else: by its name it is the alias that the destination has, until that gives way to what it refers to.
fn again(case: &Case<'_>, text: &str) -> Result<(), Broken> {
    let again = Case { base: case.base, dest: text, incoming: case.incoming, policy: case.policy };
    let Some((found, _)) = again.merge(&ConflictStyle::Dest)? else { return Ok(()) };
    if found == text {
        return Ok(());
    }
    let is_clear = has_stable_documents([case.base.unwrap_or(case.dest), case.dest, case.incoming]);
    let is_ambiguous = !is_clear
        || case.holds_stray_alias()?
        || case.names_apart()?
        || case.pairs_by_likeness()?
        || case.holds_twins()?
        || again.holds_twins()?;
    again.must(is_ambiguous, "merging again changes nothing", &found)
}

/// What elements of a list are told apart by.
const NAMES: [&str; 7] = ["mountPath", "devicePath", "ip", "type", "topologyKey", "name", "containerPort"];

fn has_name(item: Node<'_>, name: &str) -> bool {
    item.kind() == Kind::Mapping && item.entries().any(|field| field.key().is_some_and(|key| key.value() == name))
}

/// Whether some elements of a list have a name and others have none, so that it is no list of names.
fn has_nameless_item(stream: &Stream<'_>) -> bool {
    let is_mixed = |list: Node<'_>, name: &str| {
        list.children().any(|item| has_name(item, name)) && list.children().any(|item| !has_name(item, name))
    };
    nodes(stream).any(|node| node.kind() == Kind::Sequence && NAMES.iter().any(|name| is_mixed(node, name)))
}

/// Whether a node is a list of collections that have no name in common.
fn is_nameless(node: Node<'_>) -> bool {
    let is_named = |name: &&str| node.children().all(|item| has_name(item, name));
    node.kind() == Kind::Sequence
        && node.children().any(|item| item.kind().is_collection())
        && !NAMES.iter().any(is_named)
}

/// The lists of a stream that hold collections, and that `base` does not have.
fn new_lists<'t>(stream: &'t Stream<'_>, base: &Stream<'_>) -> impl Iterator<Item = Node<'t>> {
    nodes(stream).filter(|node| {
        node.kind() == Kind::Sequence
            && node.children().any(|item| item.kind().is_collection())
            && !nodes(base).any(|other| same_value(*node, other))
    })
}

fn nodes<'t>(stream: &'t Stream<'_>) -> impl Iterator<Item = Node<'t>> {
    let mut open: Vec<Node<'t>> = stream.documents().filter_map(Document::root).collect();
    std::iter::from_fn(move || {
        let node = open.pop()?;
        open.extend(node.children());
        Some(node)
    })
}

/// Each side of the hunks alone is YAML, unless the inputs hold markers themselves.
fn marked(case: &Case<'_>, style: Style) -> Result<(), Broken> {
    let inputs = [case.base, Some(case.dest), Some(case.incoming)];
    if inputs.into_iter().flatten().any(|text| MARKERS.into_iter().any(|marker| text.contains(marker))) {
        return Ok(());
    }
    let markers = ConflictStyle::Markers { style, labels: LABELS };
    let Some((text, _)) = case.merge(&markers)? else { return Ok(()) };
    for is_ours in [true, false] {
        let chosen = choose(&text, is_ours);
        let is_yaml = Stream::parse(&chosen).is_ok();
        case.must(is_yaml, &format!("each side alone is YAML, also {chosen:?}"), &text)?;
    }
    Ok(())
}

/// The text with one side of every hunk.
pub(crate) fn choose(text: &str, is_ours: bool) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for hunk in hunks(text.as_bytes()) {
        out.push_str(&text[at..hunk.whole.start]);
        out.push_str(&text[if is_ours { hunk.ours } else { hunk.theirs }]);
        at = hunk.whole.end;
    }
    out + &text[at..]
}

/// Who wins conflicts decides nothing where there is none: the result is one, and nothing was overwritten.
fn winners(case: &Case<'_>) -> Result<(), Broken> {
    let with = |both_changed, style| {
        let removal = Removal::Whole;
        Case { policy: Policy { both_changed, removal, ..case.policy }, ..*case }.merge(&style)
    };
    let Some((text, plan)) = with(BothChanged::Conflict, ConflictStyle::Dest)? else { return Ok(()) };
    if !plan.conflicts.is_empty() || case.holds_twins()? {
        return Ok(());
    }
    for both_changed in [BothChanged::Keep, BothChanged::Take] {
        let Some((won, plan)) = with(both_changed, ConflictStyle::Dest)? else { continue };
        case.must(won == text, &format!("nobody wins without a conflict, {both_changed:?}; wanted\n{text}"), &won)?;
        let is_told = |role| matches!(role, Role::Value | Role::Name | Role::Order);
        let told = plan.decisions.iter().find(|it| it.rule == Rule::BothChanged && is_told(it.role));
        case.must(told.is_none(), &format!("nothing is overwritten without a conflict, not {told:?}"), &won)?;
    }
    Ok(())
}

/// Only one side changed, or both did the same.
fn one_sided(case: &Case<'_>) -> Result<(), Broken> {
    let base = case.base.unwrap_or_default();
    for side in [case.dest, case.incoming] {
        for (texts, law) in [
            ([base, side, base], "merge(b, x, b) = x"),
            ([side, side, side], "merge(x, x, x) = x"),
            ([base, side, side], "merge(b, x, x) = x"),
        ] {
            let one = case.with(texts);
            let Some((found, _)) = one.merge(&ConflictStyle::Dest)? else { continue };
            one.must(found == side, law, &found)?;
        }
        let taken = case.with([base, base, side]);
        let Some((found, _)) = taken.merge(&ConflictStyle::Dest)? else { continue };
        taken.must(same(&parsed(&found)?, &parsed(side)?), "merge(b, b, y) = y in value", &found)?;
    }
    Ok(())
}

/// Both directions name the same places as conflicts, or what is around them: which of them share a hunk depends on whose file it
/// is in.
fn swapped(case: &Case<'_>) -> Result<(), Broken> {
    let back = case.with([case.base.unwrap_or_default(), case.incoming, case.dest]);
    let paths = |plan: &Plan| {
        let open = plan.decisions.iter().filter(|decision| decision.outcome == Outcome::Conflict);
        open.map(|decision| place(&decision.path)).collect::<BTreeSet<Path>>()
    };
    let there = case.merge(&ConflictStyle::Dest)?.map(|(_, plan)| paths(&plan));
    let back = back.merge(&ConflictStyle::Dest)?.map(|(_, plan)| paths(&plan));
    let (Some(there), Some(back)) = (there, back) else { return Ok(()) };
    let are_near = |a: &Path, b: &Path| a.segments().iter().zip(b.segments()).all(|(a, b)| *a == b);
    let are_all_in = |some: &BTreeSet<Path>, others: &BTreeSet<Path>| {
        some.iter().all(|place| others.iter().any(|other| are_near(place, other)))
    };
    let got = format!("{there:?} and {back:?}");
    case.must(
        are_all_in(&there, &back) && are_all_in(&back, &there),
        "both directions conflict at the same places",
        &got,
    )
}

/// Where a conflict is, whichever side names it: a key that itself is in conflict names the element as one side has it.
fn place(path: &Path) -> Path {
    let last = path.last();
    let named = path.segments().into_iter().map(|segment| match (segment, last) {
        (Segment::Key(fields), Some(Segment::Field(name))) => {
            let rest: Vec<_> = fields.iter().filter(|(field, _)| field != name).cloned().collect();
            if rest.is_empty() { Segment::Field("(an element)".to_owned()) } else { Segment::Key(rest) }
        }
        _ => segment.clone(),
    });
    named.collect()
}

/// Whether it is clear which documents belong together: by identity, or as the only ones.
pub(crate) fn has_stable_documents(texts: [&str; 3]) -> bool {
    let mut known = None;
    for text in texts {
        let Ok(stream) = Stream::parse(text) else { return false };
        let roots = stream.documents().filter(|document| document.root().is_some());
        let ids: Vec<_> = roots.map(|document| Resource::of(document).map(|resource| resource.id)).collect();
        if ids.len() > 1 && ids.contains(&None) || *known.get_or_insert_with(|| ids.clone()) != ids {
            return false;
        }
    }
    true
}

fn parsed(text: &str) -> Result<Stream<'_>, Broken> {
    Stream::parse(text).map_err(|error| Broken(format!("not YAML: {error}:\n{text}")))
}

fn same(a: &Stream<'_>, b: &Stream<'_>) -> bool {
    let roots = |stream| Vec::from_iter(Stream::documents(stream).filter_map(Document::root));
    let (a, b) = (roots(a), roots(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same_value(*a, *b))
}

/// Whether one of these sides is the reason why there is no plan.
pub(crate) fn is_expected<'t>(
    error: &MergeError,
    policy: &Policy,
    mut sides: impl Iterator<Item = &'t Stream<'t>>,
) -> bool {
    match error {
        MergeError::UnknownDirective { .. } | MergeError::PatchDirective { .. } => {
            policy.directives == Directives::Execute
        }
        MergeError::RepeatedKey { .. } => sides.any(holds_twins),
        MergeError::Inherited { .. } => policy.nulls == Nulls::Clear && sides.any(|side| side.source().contains("<<")),
        _ => false,
    }
}

/// Whether edits of a stream may be refused: those of a field that is there twice may clash, a key without a value has no place
/// for a comment, and what holds an alias to itself cannot be written without its anchor.
pub(crate) fn may_be_refused(stream: &Stream<'_>) -> bool {
    nodes(stream).any(Node::is_explicit_key) || holds_twins(stream) || holds_itself(stream)
}

/// Whether a stream has an alias inside the node that it refers to.
fn holds_itself(stream: &Stream<'_>) -> bool {
    let mut open: Vec<(Node<'_>, Vec<&str>)> =
        stream.documents().filter_map(Document::root).map(|root| (root, Vec::new())).collect();
    while let Some((node, mut around)) = open.pop() {
        if node.alias().is_some_and(|name| around.contains(&name)) {
            return true;
        }
        around.extend(node.anchor());
        open.extend(node.children().map(|child| (child, around.clone())));
    }
    false
}

/// Whether a collection has an entry twice, or a stream a document: nobody can tell the two apart the next time.
pub(crate) fn holds_twins(stream: &Stream<'_>) -> bool {
    let roots: Vec<Node<'_>> = stream.documents().filter_map(Document::root).collect();
    if has_twins(&roots) {
        return true;
    }
    let mut open = roots;
    while let Some(node) = open.pop() {
        let identities: Vec<Node<'_>> = match node.kind() {
            Kind::Mapping => node.children().step_by(2).collect(),
            _ => node.children().collect(),
        };
        if has_twins(&identities) {
            return true;
        }
        open.extend(node.children());
    }
    false
}

fn has_twins(nodes: &[Node<'_>]) -> bool {
    nodes.iter().enumerate().any(|(index, node)| nodes[..index].iter().any(|other| same_value(*other, *node)))
}

/// The same for texts that somebody else merged.
pub(crate) fn must_be_yaml(text: &str, law_name: &str) -> Result<(), Broken> {
    let error = Stream::parse(text).err();
    law(error.is_none(), || format!("{law_name}: {error:?}; got\n{text}"))
}
