//! How a key is written: its quotes are layout, and follow the four rules apart from the value.
//!
//! `6443:` and `"6443":` name one field, as the tools of Kubernetes turn all keys into text; whoever else reads the file gets what
//! the only side wrote that changed it. Ignores keys with `?`, an anchor or a tag, keys that are no scalars, and keys that come
//! from brackets into a block or the other way round.

use kyaml_ast::{Edit, Entry, Kind};

use super::Walker;
use crate::plan::Role;
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// Takes over the quotes of a key where only the incoming side changed them.
    pub(super) fn key_quotes(&mut self, entries: Slots<Entry<'a>>) -> Option<Edit> {
        let texts = entries.filter_map(quotable);
        let (outcome, rule) = resolve(texts, self.policy.comments, |a, b| a == b);
        let is_flow = |entry: Entry<'_>| entry.collection().is_flow();
        let (dest, incoming) = (entries.dest?, entries.incoming?);
        let is_taken = texts.present().count() == Side::ALL.len() && rule == Rule::OnlyIncoming;
        if !is_taken || outcome != Outcome::Take || is_flow(dest) != is_flow(incoming) {
            return None;
        }
        self.decide(Role::Layout, outcome, rule, entries);
        Some(Edit::ReplaceKey { entry: dest.id(), text: texts.incoming?.to_owned() })
    }
}

/// The text of a key on one line that is nothing but a scalar.
fn quotable(entry: Entry<'_>) -> Option<&str> {
    let key = entry.key()?;
    let is_scalar = matches!(key.kind(), Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted);
    let is_bare = key.full_span() == key.span() && !key.is_explicit_key() && !key.text().contains('\n');
    (is_scalar && is_bare).then(|| key.text())
}
