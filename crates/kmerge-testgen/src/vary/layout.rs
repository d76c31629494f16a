//! Edits that change no value: comments, blank lines, quotes, indentation, style of collections.

use super::Target;
use crate::model::{Comment, Content, Entry, Form, Line, Node, Style};
use crate::random::own_line;
use crate::rng::Rng;
use crate::words::COMMENTS;

/// Adds, changes or removes the comment above an entry.
pub(super) fn lead_comment(target: &mut Target<'_>, rng: &mut Rng) -> bool {
    let Some(entry) = shown_entry(target, rng) else { return false };
    let comment = entry.lead.iter().position(|line| matches!(line, Line::Comment { .. }));
    match (comment, rng.below(2)) {
        (None, _) => entry.lead.push(own_line(rng)),
        (Some(at), 0) => {
            entry.lead.remove(at);
        }
        (Some(at), _) => entry.lead[at] = Line::Comment { text: numbered(rng), outdent: 0 },
    }
    true
}

/// Adds, changes or removes the comment behind an entry.
pub(super) fn trail_comment(target: &mut Target<'_>, rng: &mut Rng) -> bool {
    let Some(entry) = shown_entry(target, rng) else { return false };
    entry.trail = match entry.trail {
        Some(_) if rng.chance(50) => None,
        _ => Some(Comment { text: numbered(rng), gap: rng.between(1, 3) }),
    };
    true
}

/// Adds or removes blank lines above an entry.
pub(super) fn blank_line(target: &mut Target<'_>, rng: &mut Rng) -> bool {
    let Some(entry) = shown_entry(target, rng) else { return false };
    let before = entry.lead.len();
    entry.lead.retain(|line| *line != Line::Blank);
    if entry.lead.len() == before {
        entry.lead.insert(0, Line::Blank);
    }
    true
}

/// Gives a word other quotes.
pub(super) fn requote(target: &mut Target<'_>, rng: &mut Rng) -> bool {
    let count = target.entries.len();
    let Some(entry) = target.entries.get_mut(rng.below(count)) else { return false };
    match &mut entry.value.content {
        Content::Scalar(scalar) if is_word(&scalar.text) => {
            let other = rng.pick(&[Style::Plain, Style::Single, Style::Double]);
            let changes = other != scalar.style;
            scalar.style = other;
            changes
        }
        _ => false,
    }
}

/// Gives a block collection another indentation.
pub(super) fn reindent(target: &mut Target<'_>, rng: &mut Rng) -> bool {
    let before = *target.layout;
    target.layout.step = rng.pick(&[0, 2, 2, 4, 3]);
    target.layout.inline ^= rng.chance(20);
    target.layout.form == Form::Block && !target.in_flow && *target.layout != before
}

/// Turns a block collection into a flow one or the other way round.
pub(super) fn reform(target: &mut Target<'_>, rng: &mut Rng) -> bool {
    if target.in_flow || target.entries.is_empty() || target.entries.len() > 12 {
        return false;
    }
    if target.layout.form != Form::Block {
        target.layout.form = Form::Block;
        return true;
    }
    let fits = !target.entries.iter().any(holds_nothing);
    if fits {
        target.layout.form = rng.pick(&[Form::Tight, Form::Spaced, Form::Lines]);
    }
    fits
}

/// Whether a node that is not written at all stands in the entry: flow style cannot show it everywhere.
fn holds_nothing(entry: &Entry) -> bool {
    is_nothing(&entry.value) || entry.key.as_ref().is_some_and(|key| is_nothing(&key.node))
}

fn is_nothing(node: &Node) -> bool {
    match &node.content {
        Content::Empty => true,
        Content::Mapping(entries, _) | Content::Sequence(entries, _) => entries.iter().any(holds_nothing),
        Content::Alias(_) | Content::Scalar(_) => false,
    }
}

/// An entry that has its own line.
fn shown_entry<'e>(target: &'e mut Target<'_>, rng: &mut Rng) -> Option<&'e mut Entry> {
    let has_lines = matches!(target.layout.form, Form::Block | Form::Lines) && !target.in_flow;
    let count = target.entries.len();
    target.entries.get_mut(rng.below(count)).filter(|_| has_lines)
}

fn numbered(rng: &mut Rng) -> String {
    format!("{} {}", rng.pick(COMMENTS), rng.below(100))
}

fn is_word(text: &str) -> bool {
    text.len() > 4
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text != "false"
}
