//! How somebody likes manifests to look: a habit for a whole document, and its application to a model.

use crate::model::{Comment, Content, Entry, Form, Layout, Line, Node, Scalar, Style};
use crate::rng::Rng;
use crate::words::COMMENTS;

/// Habits of one author.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flavor {
    step: usize,
    /// Columns by which a list is indented further than its key.
    list_step: usize,
    /// Quotes of strings that need none; plain mostly.
    quotes: Style,
    /// How often in a hundred entries a comment stands above or behind, and a blank line above.
    comments: usize,
    blanks: usize,
    /// How often in a hundred a list of scalars is written in brackets.
    brackets: usize,
}

impl Flavor {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        let step = rng.pick(&[2, 2, 2, 2, 4]);
        Self {
            step,
            list_step: rng.pick(&[0, step]),
            quotes: rng.pick(&[Style::Plain, Style::Plain, Style::Plain, Style::Double, Style::Single]),
            comments: rng.pick(&[0, 1, 3, 8]),
            blanks: rng.pick(&[0, 0, 1, 4]),
            brackets: rng.pick(&[0, 20, 90]),
        }
    }

    /// How tools write: compact lists, nothing quoted that need not be, no comments.
    pub(crate) const fn generated() -> Self {
        Self { step: 2, list_step: 0, quotes: Style::Plain, comments: 0, blanks: 0, brackets: 0 }
    }

    /// Lays `node` and everything in it out.
    pub(crate) fn apply(self, node: &mut Node, rng: &mut Rng) {
        match &mut node.content {
            Content::Mapping(entries, layout) => {
                *layout = Layout { step: self.step, ..*layout };
                self.entries(entries, rng);
            }
            Content::Sequence(entries, layout) => {
                let is_short = entries.len() < 6 && entries.iter().all(|entry| is_short_scalar(&entry.value));
                let form = if is_short && rng.chance(self.brackets) { Form::Tight } else { layout.form };
                *layout = Layout { form, step: self.list_step, inline: true };
                self.entries(entries, rng);
            }
            Content::Scalar(scalar) => self.scalar(scalar, rng),
            Content::Empty | Content::Alias(_) => {}
        }
    }

    fn entries(self, entries: &mut [Entry], rng: &mut Rng) {
        for (at, entry) in entries.iter_mut().enumerate() {
            if at > 0 && rng.chance(self.blanks) {
                entry.lead.push(Line::Blank);
            }
            if at > 0 && rng.chance(self.comments) {
                entry.lead.push(Line::Comment { text: rng.pick(COMMENTS).to_owned(), outdent: 0 });
            }
            if matches!(entry.value.content, Content::Scalar(_)) && rng.chance(self.comments) {
                entry.trail = Some(Comment { text: rng.pick(COMMENTS).to_owned(), gap: rng.pick(&[1, 1, 2]) });
            }
            self.apply(&mut entry.value, rng);
        }
    }

    fn scalar(self, scalar: &mut Scalar, rng: &mut Rng) {
        match scalar.style {
            Style::Plain if is_word(&scalar.text) && rng.chance(60) => scalar.style = self.quotes,
            Style::Double if self.quotes == Style::Single && !scalar.text.contains(char::is_control) => {
                scalar.style = Style::Single;
            }
            _ => {}
        }
    }
}

fn is_short_scalar(node: &Node) -> bool {
    matches!(&node.content, Content::Scalar(scalar) if scalar.text.len() < 24 && !scalar.text.contains('\n'))
}

/// Whether the text is a string for everybody, so that quotes may come and go.
fn is_word(text: &str) -> bool {
    text.len() > 4
        && text.starts_with(|char: char| char.is_ascii_alphabetic())
        && text != "false"
        && !text.contains('\n')
}
