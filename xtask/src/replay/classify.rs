//! How good a merge is, seen from what people committed.

use std::fmt;

use kmerge_core::same_value;
use kyaml_ast::Stream;

/// The better the smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Byte for byte what was committed.
    Same,
    /// Clean, and the data that was committed.
    SameData,
    /// Left to people.
    Conflict,
    /// Clean, but people committed something else.
    Different,
    /// Clean, but no YAML, although what was committed is.
    Invalid,
}

impl Outcome {
    pub(crate) const ALL: [Self; 5] = [Self::Same, Self::SameData, Self::Conflict, Self::Different, Self::Invalid];
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Same => "as committed",
            Self::SameData => "the same data",
            Self::Conflict => "conflict",
            Self::Different => "different",
            Self::Invalid => "invalid",
        })
    }
}

/// Compares the text of a merge with what was committed.
pub(crate) fn classify(text: &[u8], conflict: bool, committed: &[u8]) -> Outcome {
    match (Stream::parse_bytes(text), Stream::parse_bytes(committed)) {
        _ if conflict => Outcome::Conflict,
        _ if text == committed => Outcome::Same,
        (Ok(text), Ok(committed)) if same_data(&text, &committed) => Outcome::SameData,
        (Err(_), Ok(_)) => Outcome::Invalid,
        _ => Outcome::Different,
    }
}

fn same_data(a: &Stream<'_>, b: &Stream<'_>) -> bool {
    let (a, b): (Vec<_>, Vec<_>) = (a.documents().collect(), b.documents().collect());
    a.len() == b.len()
        && a.iter().zip(&b).all(|(a, b)| match (a.root(), b.root()) {
            (Some(a), Some(b)) => same_value(a, b),
            (None, None) => true,
            _ => false,
        })
}
