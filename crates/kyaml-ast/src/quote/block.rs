//! Literal and folded block scalars.

use super::{BlockLayout, needs_escape};
use crate::tree::Node;

/// Largest indentation that an indicator can express.
const LARGEST_STEP: usize = 9;

/// The indentation, in columns, if the wanted step cannot be written as an indicator.
const USUAL_STEP: usize = 2;

/// `text` as a literal block, without the last line break. `None` if a literal block cannot hold it safely.
pub(super) fn literal(text: &str, layout: BlockLayout) -> Option<String> {
    let (body, breaks) = split_trailing_breaks(text);
    write('|', body, breaks, layout)
}

/// `text` as a folded block with one line for each paragraph. `None` if lines start with blanks.
pub(super) fn folded(text: &str, layout: BlockLayout) -> Option<String> {
    folded_like(&[], text, layout)
}

/// `text` as a folded block that replaces the folded block `old`. Words that both have stay on the same lines.
pub(super) fn folded_over(old: Node<'_>, text: &str, layout: BlockLayout) -> Option<String> {
    let scalar = old.block_scalar()?;
    let lines = scalar.body.of(old.stream().source()).lines();
    let lines: Vec<&str> = lines.map(|line| line.get(scalar.indent..).unwrap_or_default()).collect();
    let is_plain = !lines.iter().any(|line| starts_with_blank(line));
    folded_like(if is_plain { &lines } else { &[] }, text, layout)
}

/// `text` as a folded block. `old` are the lines of another one, none of which starts with a blank.
fn folded_like(old: &[&str], text: &str, layout: BlockLayout) -> Option<String> {
    let (body, breaks) = split_trailing_breaks(text);
    if body.starts_with('\n') || body.split('\n').any(starts_with_blank) {
        return None;
    }
    let old: Vec<&[&str]> = old.split(|line| line.is_empty()).filter(|paragraph| !paragraph.is_empty()).collect();
    write('>', &with_folded_breaks(&wrapped(body, &old)), breaks, layout)
}

/// The paragraphs of a text with the line breaks that they have in `old`. More than one break between two paragraphs
/// gives empty ones. Paragraphs are matched from the start up to the first that differs, and from there on from the
/// end.
fn wrapped(body: &str, old: &[&[&str]]) -> Vec<String> {
    let count = body.split('\n').filter(|paragraph| !paragraph.is_empty()).count();
    let (mut index, mut is_same) = (0, true);
    let wrap = |paragraph: &str| {
        if paragraph.is_empty() {
            return String::new();
        }
        is_same &= old.get(index).is_some_and(|own| own.join(" ") == paragraph);
        let at = if is_same { Some(index) } else { (old.len() + index).checked_sub(count) };
        index += 1;
        let own = at.and_then(|at| old.get(at));
        own.map_or_else(|| paragraph.to_owned(), |own| wrapped_like(paragraph, own))
    };
    body.split('\n').map(wrap).collect()
}

/// A paragraph with the line breaks of another one, as far as the two agree at the start and at the end. No line starts
/// with a blank, because folding would keep the break before it.
fn wrapped_like(paragraph: &str, lines: &[&str]) -> String {
    let (mut rest, mut first, mut last) = (paragraph, Vec::new(), Vec::new());
    let mut lines = lines.iter();
    // One line is left for the text between.
    while let [line, _, ..] = lines.as_slice()
        && let Some(below) = rest.strip_prefix(line).and_then(|rest| rest.strip_prefix(' '))
        && !below.is_empty()
        && !starts_with_blank(below)
    {
        first.extend(lines.next());
        rest = below;
    }
    while let [_, .., line] = lines.as_slice()
        && let Some(above) = rest.strip_suffix(line).and_then(|rest| rest.strip_suffix(' '))
        && !above.is_empty()
        && !above.ends_with(is_blank)
    {
        last.extend(lines.next_back());
        rest = above;
    }
    let all: Vec<&str> = first.into_iter().copied().chain([rest]).chain(last.into_iter().rev().copied()).collect();
    all.join("\n")
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

/// Joins paragraphs by the breaks between them, and adds the one break that folding removes from each run of breaks.
fn with_folded_breaks(paragraphs: &[String]) -> String {
    let mut out = String::new();
    for (index, paragraph) in paragraphs.iter().enumerate() {
        out.push_str(match index.checked_sub(1).map(|before| paragraphs[before].is_empty()) {
            None => "",
            Some(true) => "\n",
            Some(false) => "\n\n",
        });
        out.push_str(paragraph);
    }
    out
}

/// Whether a block scalar can hold `body`: nothing to escape, and no line of blanks at either end, because editors and
/// readers treat these differently.
fn is_carried(body: &str) -> bool {
    let has_text = |line: &str| line.contains(|char| !is_blank(char));
    let last = body.rsplit('\n').next();
    !body.contains(|char| needs_escape(char) && !matches!(char, '\n' | '\t'))
        && first_line(body).is_some_and(has_text)
        && last.is_some_and(has_text)
}

/// The first line that is not empty. Readers take the indentation from it.
fn first_line(body: &str) -> Option<&str> {
    body.split('\n').find(|line| !line.is_empty())
}

fn starts_with_blank(line: &str) -> bool {
    line.starts_with(is_blank)
}

const fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::folded_over;
    use crate::{BlockLayout, Document, Newline, Stream};

    #[test]
    fn lines_of_a_folded_text_stay_where_they_say_the_same() {
        let old = "one two\nthree four\nfive\n\nsix seven\neight\n\n\nnine\nten";
        let cases = [
            ("one two three four five\nsix seven eight\n\nnine ten\n", old),
            // A word changes at the start, in the middle, at the end; words are added and removed.
            ("ONE two three four five\nsix seven eight\n\nnine ten\n", &old.replace("one", "ONE")),
            ("one two three and four five\nsix seven eight\n\nnine ten\n", &old.replace("three", "three and")),
            ("one two three four five\nsix seven eight\n\nnine 10\n", &old.replace("ten", "10")),
            ("one two five\nsix seven eight\n\nnine ten\n", &old.replace("three four\n", "")),
            // A paragraph is added, one is removed, and the number of lines between two changes.
            ("one two three four five\nnew\nsix seven eight\n\nnine ten\n", &old.replace("five\n", "five\n\nnew\n")),
            ("six seven eight\n\nnine ten\n", &old["one two\nthree four\nfive\n\n".len()..]),
            (
                "one two three four five\n\nsix seven eight\nnine ten\n",
                "one two\nthree four\nfive\n\n\nsix seven\neight\n\nnine\nten",
            ),
            // Blanks that would start a line, more text at the end, nothing in common.
            (
                "one two  three four five\nsix seven eight\n\nnine ten\n",
                &old.replace("one two\nthree four\nfive", "one two  three four\nfive"),
            ),
            ("one two three four five six\nsix seven eight\n\nnine ten\n", &old.replace("five", "five six")),
            ("x\n", "x"),
        ];
        let source =
            format!("a: >\n  {}\n", old.replace('\n', "\n  ").replace("\n  \n", "\n\n").replace("\n  \n", "\n\n"));
        let stream = Stream::parse(&source).unwrap();
        let node = stream.documents().next().and_then(Document::root).unwrap().entries().next().unwrap().value();
        let layout = BlockLayout { parent: Some(0), step: 2, newline: Newline::Lf };
        for (text, lines) in cases {
            let written = folded_over(node, text, layout).unwrap();
            let body = written.strip_prefix(">\n").unwrap();
            let shown: Vec<&str> = body.lines().map(str::trim_start).collect();
            assert_eq!(shown.join("\n"), *lines, "{text:?}");
            let again = format!("a: {written}\n");
            let again = Stream::parse(&again).unwrap();
            let value = again.documents().next().and_then(Document::root).unwrap().entries().next().unwrap().value();
            assert_eq!(value.value(), text);
        }
    }

    #[test]
    fn lines_that_folding_respects_are_no_model() {
        let stream = Stream::parse("a: >\n  one\n   two\n  three\n").unwrap();
        let node = stream.documents().next().and_then(Document::root).unwrap().entries().next().unwrap().value();
        let layout = BlockLayout { parent: Some(0), step: 2, newline: Newline::Lf };
        assert_eq!(folded_over(node, "one three\n", layout).as_deref(), Some(">\n  one three"));
        assert_eq!(folded_over(node, "one\n two\n", layout), None);
    }
}
