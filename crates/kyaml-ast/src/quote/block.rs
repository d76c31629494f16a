//! Literal and folded block scalars.

use super::{BlockLayout, needs_escape};

/// Largest indentation that an indicator can express.
const LARGEST_STEP: usize = 9;

/// Columns to indent by where the wanted step cannot be expressed.
const USUAL_STEP: usize = 2;

/// `text` as a literal block, without the last line break; `None` if a literal block would not carry it safely.
pub(super) fn literal(text: &str, layout: BlockLayout) -> Option<String> {
    let (body, breaks) = split_trailing_breaks(text);
    write('|', body, breaks, layout)
}

/// `text` as a folded block with one line for each paragraph; `None` if lines start with blanks as well.
pub(super) fn folded(text: &str, layout: BlockLayout) -> Option<String> {
    let (body, breaks) = split_trailing_breaks(text);
    if body.starts_with('\n') || body.split('\n').any(starts_with_blank) {
        return None;
    }
    write('>', &with_folded_breaks(body), breaks, layout)
}

fn write(style: char, body: &str, breaks: usize, layout: BlockLayout) -> Option<String> {
    let needs_indicator = first_line(body).is_some_and(starts_with_blank);
    if !is_carried(body) || (needs_indicator && layout.parent.is_none()) {
        return None;
    }
    let step = match layout.step.max(1) {
        step if needs_indicator && step > LARGEST_STEP => USUAL_STEP,
        step => step,
    };
    let newline = layout.newline.as_str();
    let indent = " ".repeat(layout.parent.unwrap_or(0) + step);
    let mut out = String::from(style);
    if needs_indicator {
        out.push_str(&step.to_string());
    }
    out.push_str(chomping(breaks));
    for line in body.split('\n') {
        out.push_str(newline);
        if !line.is_empty() {
            out.push_str(&indent);
            out.push_str(line);
        }
    }
    out.push_str(&newline.repeat(breaks.saturating_sub(1)));
    Some(out)
}

const fn chomping(breaks: usize) -> &'static str {
    match breaks {
        0 => "-",
        1 => "",
        _ => "+",
    }
}

fn split_trailing_breaks(text: &str) -> (&str, usize) {
    let body = text.trim_end_matches('\n');
    (body, text.len() - body.len())
}

/// Adds the break that folding takes away from each run of breaks.
fn with_folded_breaks(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut previous = None;
    for char in body.chars() {
        if char == '\n' && previous != Some('\n') {
            out.push('\n');
        }
        out.push(char);
        previous = Some(char);
    }
    out
}

/// Whether a block scalar carries `body`: nothing to escape, and no line of blanks at either end, where editors and
/// readers disagree on what counts.
fn is_carried(body: &str) -> bool {
    let has_text = |line: &str| line.contains(|char| !is_blank(char));
    let last = body.rsplit('\n').next();
    !body.contains(|char| needs_escape(char) && !matches!(char, '\n' | '\t'))
        && first_line(body).is_some_and(has_text)
        && last.is_some_and(has_text)
}

/// The first line that is not empty: readers take the indentation from it.
fn first_line(body: &str) -> Option<&str> {
    body.split('\n').find(|line| !line.is_empty())
}

fn starts_with_blank(line: &str) -> bool {
    line.starts_with(is_blank)
}

const fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t')
}
