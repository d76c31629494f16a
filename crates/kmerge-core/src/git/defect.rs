//! Why a merge by structure was not taken, in words: what it would have done, on which side, in which line.

use std::fmt;

use super::Reason;
use super::structure::unproven;
use crate::check::Finding;
use crate::lines::Texts;
use crate::proof::{CommentFault, Inputs, Moving, Place, Remark, SoundnessCheck, Unsound};
use crate::schema::Schema;
use crate::slots::Side;

/// What a merge by structure would have done wrong. Shown, it is a sentence for a person who merges: what, on which side, in which
/// line.
#[derive(Clone, PartialEq, Eq)]
pub struct Defect(Unsound);

impl Defect {
    /// What is wrong with a text that a merge by structure could have left, with or without hunks; `Err` where the files
    /// have no structure: a check of any other merge of YAML.
    ///
    /// # Errors
    ///
    /// Why the files have no structure.
    pub fn of(texts: Texts<'_>, text: &str, schema: &Schema) -> Result<Option<Self>, Reason> {
        let (inputs, check) = (Inputs::new(super::streams(texts)?), SoundnessCheck::new(schema));
        Ok(unproven(&inputs, text, check).map(|unproven| Self::from(unproven.first)))
    }
}

impl From<Unsound> for Defect {
    fn from(unsound: Unsound) -> Self {
        Self(unsound)
    }
}

impl fmt::Debug for Defect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&in_words(&self.0))
    }
}

fn in_words(unsound: &Unsound) -> String {
    match unsound {
        Unsound::Moved(moving) => moved(moving),
        Unsound::Replaced(name) => {
            format!("{name}: one side renamed or replaced it, the other deleted or renamed it")
        }
        Unsound::Added(at) => {
            format!("each side added another document at one place ({}, line {})", name(at.side), at.line)
        }
        Unsound::Broken(error) => format!("merged by structure it would be no YAML ({error})"),
        Unsound::Faults(faults) => faulty(faults),
        Unsound::Unanchored { name: anchor, alias, gone } => {
            format!("`*{anchor}` at {} would stand for nothing: {} has no `&{anchor}`", place(alias), name(*gone))
        }
        Unsound::Referent { name, alias } => format!("`*{name}` at {} would stand for something else", place(alias)),
        Unsound::Comment(fault, it) => commented(*fault, it),
        Unsound::Lost { place, by } => lost(place, *by),
        Unsound::Half { place, by } => half(place, *by),
        Unsound::Gone(at) => format!("{}, which all sides have, would be lost", place(at)),
        Unsound::New(path) => {
            format!("{} would have a value that no side has, or stand there once too often", path.short())
        }
        Unsound::Order(path) => format!("{} would stand behind what it stood before", path.short()),
        Unsound::Unwritten => "a merge by structure could not be written".to_owned(),
    }
}

/// ``.a.x: ours moved it to .b.x, theirs deleted it, moved it elsewhere or changed what was there``
fn moved(Moving { from, to, by }: &Moving) -> String {
    let other = if *by == Side::Dest { Side::Incoming } else { Side::Dest };
    let is_renamed = from.segments().split_last().map(|it| it.1) == to.segments().split_last().map(|it| it.1);
    let verb = if is_renamed { "renamed" } else { "moved" };
    let [from, to] = [from, to].map(kyaml_ast::Path::short);
    format!(
        "{from}: {} {verb} it to {to}, {} deleted it, moved it elsewhere or changed what was there",
        name(*by),
        name(other)
    )
}

fn faulty(faults: &[Finding]) -> String {
    let first = faults.first().map(|fault| format!(" {}: {}", fault.path.short(), fault));
    format!("a merge by structure would not be sound:{}", first.unwrap_or_default())
}

/// `what ours changed at .spec.replicas (ours, line 7) would be lost`
fn lost(at: &Place, by: Side) -> String {
    match at.side {
        Side::Base => format!("what {} removed at {} would be back", name(by), place(at)),
        _ => format!("what {} changed at {} would be lost", name(by), place(at)),
    }
}

/// `.spec.image (theirs, line 7) would come from theirs without the values beside it`
fn half(at: &Place, by: Side) -> String {
    match at.side {
        Side::Base => format!("{} would be neither as in ours nor as in theirs", place(at)),
        _ => format!("{} would come from {} without the values beside it", place(at), name(by)),
    }
}

const fn name(side: Side) -> &'static str {
    match side {
        Side::Dest => "ours",
        Side::Base => "base",
        Side::Incoming => "theirs",
    }
}

/// `.spec.replicas (theirs, line 7)`
fn place(place: &Place) -> String {
    format!("{} ({}, line {})", place.path.short(), name(place.side), place.line)
}

/// ``the comment `# two` (ours, line 3) would be lost``
fn commented(fault: CommentFault, comment: &Remark) -> String {
    let comment = remark(comment);
    match fault {
        CommentFault::Astray => format!("the comment {comment} would stand below another entry"),
        CommentFault::Lost => format!("the comment {comment} would be lost"),
        CommentFault::Back => format!("the comment {comment}, which one side removed, would be back"),
        CommentFault::Contested => format!("one side removed the comment {comment}, the other changed it"),
        CommentFault::Twice => format!("the comment {comment} would be there twice"),
    }
}

fn remark(remark: &Remark) -> String {
    let text = remark.text.as_deref().map_or_else(String::new, |text| format!("`{}` ", shown(text)));
    format!("{text}({}, line {})", name(remark.place.side), remark.place.line)
}

/// A text as messages show it.
fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let plain = |character: char| if character.is_control() { '\u{FFFD}' } else { character };
    let mut shown: String = text.chars().take(LONGEST).map(plain).collect();
    if shown.len() < text.len() && text.chars().count() > LONGEST {
        shown.push('…');
    }
    shown
}
