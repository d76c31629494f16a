//! Merges how a key is quoted. Quotes are layout: they follow the four rules apart from the value.
//!
//! `6443:` and `"6443":` name one field, because the tools of Kubernetes read every key as text. Other readers may see
//! a difference, so if only one side changed the quotes, its spelling is taken. Ignores keys with `?`, an anchor or a
//! tag, keys that are no scalars, and keys that change between flow and block style.

use kyaml_ast::{Edit, Entry, Kind};

use super::Walker;
use crate::plan::Role;
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::Slots;

impl<'a> Walker<'a> {
    /// Takes the quotes of the incoming key if only the incoming side changed them.
    pub(super) fn key_quotes(&mut self, entries: Slots<Entry<'a>>) -> Option<Edit> {
        let texts = entries.filter_map(quotable);
        let (outcome, rule) = resolve(texts, self.policy.comments, |a, b| a == b);
        let is_flow = |entry: Entry<'_>| entry.collection().is_flow();
        let [dest, incoming] = entries.both()?;
        let is_taken = texts.is_full() && rule == Rule::OnlyIncoming;
        if !is_taken || outcome != Outcome::Take || is_flow(dest) != is_flow(incoming) {
            return None;
        }
        self.decide(Role::Layout, outcome, rule, entries);
        Some(Edit::ReplaceKey { entry: dest.id(), text: texts.incoming?.to_owned() })
    }
}

/// The text of a key that is a plain or quoted scalar on one line, and nothing else.
fn quotable(entry: Entry<'_>) -> Option<&str> {
    let key = entry.key()?;
    let is_scalar = matches!(key.kind(), Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted);
    let is_bare = key.full_span() == key.span() && !key.is_explicit_key() && !key.text().contains('\n');
    (is_scalar && is_bare).then(|| key.text())
}
