//! Whether the result ends in a newline: decided by the rules that decide everything else.

use kyaml_ast::Newline;

use crate::lines::Texts;

/// The text with the end it should have; `None` where it has it already.
pub(super) fn resolved(texts: Texts<'_>, text: &str) -> Option<String> {
    let ends = |text: &[u8]| text.ends_with(b"\n");
    let (base, ours, theirs) = (ends(texts.base), ends(texts.ours), ends(texts.theirs));
    let wanted = if ours == base { theirs } else { ours };
    match (wanted, ends(text.as_bytes())) {
        (true, false) if !text.is_empty() => Some(format!("{text}{}", Newline::of(text).as_str())),
        (false, true) => Some(text.trim_end_matches(['\r', '\n']).to_owned()),
        _ => None,
    }
}
