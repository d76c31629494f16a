//! Edits of scalars.

use super::{Target, has_references};
use crate::model::{Content, Form, Scalar, Style};
use crate::random::small_node;
use crate::rng::Rng;
use crate::words::WORDS;

/// Gives one scalar of the target another text, or puts a node of another kind in its place.
pub(super) fn change(target: &mut Target<'_>, rng: &mut Rng) -> bool {
    let in_flow = target.in_flow || target.layout.form != Form::Block;
    let count = target.entries.len();
    let Some(entry) = target.entries.get_mut(rng.below(count)) else { return false };
    if rng.chance(8) && !has_references(entry) {
        entry.value = small_node(rng, in_flow);
        return true;
    }
    match &mut entry.value.content {
        Content::Scalar(scalar) => {
            scalar.text = changed(scalar, rng);
            true
        }
        _ => false,
    }
}

fn changed(scalar: &Scalar, rng: &mut Rng) -> String {
    if scalar.text.trim_end_matches('\n').contains('\n') {
        return with_other_line(&scalar.text, rng);
    }
    if let Ok(number) = scalar.text.parse::<u32>() {
        return u64::from(number).wrapping_add(1 + rng.below(9) as u64).to_string();
    }
    match (scalar.style, scalar.text.as_str()) {
        (Style::Plain, "true") => "false".to_owned(),
        (Style::Plain, "false") => "true".to_owned(),
        (Style::Plain | Style::Single | Style::Double | Style::DoubleEscaped, text) if rng.chance(60) => {
            format!("{text}-{}", rng.below(100))
        }
        (Style::Literal | Style::Folded, _) => format!("{} {}\n", rng.pick(WORDS), rng.below(100)),
        _ => rng.pick(WORDS).to_owned(),
    }
}

/// The text with one line changed, added or removed.
fn with_other_line(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    // The last piece is what follows the last break: nothing, mostly.
    let at = rng.below(lines.len() - 1);
    let new = format!("{} {}", rng.pick(WORDS), rng.below(1000));
    match rng.below(3) {
        0 => lines[at] = new,
        1 => lines.insert(at, new),
        _ => {
            lines.remove(at);
        }
    }
    lines.join("\n")
}
