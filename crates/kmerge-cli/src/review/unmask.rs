//! Puts hidden values back into what somebody edited without seeing them.
//!
//! Invariant: a placeholder stands for the value of its own line, on the side that the edit started from. Where that cannot be
//! told, nothing is written.

use std::collections::{BTreeMap, HashMap};

use anyhow::ensure;
use kmerge_core::markers::hunks;
use serde::Deserialize;

use super::choices::{Choice, Choices};
use crate::masked::lines_with_conflicts;
use crate::places::line_starts;

/// A choice as a page sends it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Sent {
    /// A text that somebody made of a side without seeing what is hidden in it.
    Masked {
        masked: Masked,
    },
    Choice(Choice),
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Masked {
    side: Side,
    text: String,
}

/// The side that an edit started from.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Ours,
    Base,
    Theirs,
}

/// The choices with the values that they leave hidden.
pub(super) fn unmasked(result: &str, sent: BTreeMap<usize, Sent>) -> anyhow::Result<Choices> {
    let found = hunks(result.as_bytes());
    let (shown, _) = lines_with_conflicts(result);
    let all: Vec<(&str, &str)> = shown.iter().map(String::as_str).zip(result.split_inclusive('\n')).collect();
    let starts = line_starts(result);
    let line = |byte: usize| starts.partition_point(|start| (*start as usize) < byte);
    let mut choices = Choices::new();
    for (at, choice) in sent {
        let choice = match (choice, found.get(at)) {
            (Sent::Choice(choice), _) => choice,
            (Sent::Masked { .. }, None) => continue,
            (Sent::Masked { masked }, Some(hunk)) => {
                let bytes = match masked.side {
                    Side::Ours => hunk.ours.clone(),
                    Side::Base => hunk.base.clone().unwrap_or_default(),
                    Side::Theirs => hunk.theirs.clone(),
                };
                Choice::Text(put_back(&masked.text, &all[line(bytes.start)..line(bytes.end)])?)
            }
        };
        choices.insert(at, choice);
    }
    Ok(choices)
}

/// An edited text with the lines that were hidden; `side` has the lines as they were shown, and as they are.
fn put_back(text: &str, side: &[(&str, &str)]) -> anyhow::Result<String> {
    let mut hidden: HashMap<&str, Vec<&str>> = HashMap::new();
    for (shown, line) in side {
        if shown.trim_end() != line.trim_end() {
            hidden.entry(shown.trim_end()).or_default().push(line);
        }
    }
    let mut used: HashMap<&str, usize> = HashMap::new();
    let mut out = String::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let shown = line.trim_end();
        let known = hidden.get(shown);
        ensure!(
            known.is_some() || !shown.ends_with("***"),
            "line {} of the edit ends with ***, and no hidden line starts like that: write the value",
            number + 1
        );
        let Some(lines) = known else {
            out.push_str(line);
            continue;
        };
        let count = used.entry(shown).or_default();
        out.push_str(lines.get(*count).copied().unwrap_or_default());
        *count += 1;
    }
    for (shown, count) in used {
        let wanted = hidden.get(shown).map_or(0, Vec::len);
        ensure!(
            count == wanted,
            "{} hidden lines look like {:?}, and the edit has {count} of them: keep all or none",
            wanted,
            shown.trim_start()
        );
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "kind: Secret\nstringData:\n<<<<<<< HEAD\n  a: ours\n  b: |\n    one\n    two\n||||||| base\n  a: old\n=======\n  a: theirs\n>>>>>>> topic\n";

    fn made(side: &str, text: &str) -> anyhow::Result<String> {
        let sent = serde_json::json!({ "0": { "masked": { "side": side, "text": text } } });
        match unmasked(TEXT, serde_json::from_value(sent)?)?.remove(&0) {
            Some(Choice::Text(text)) => Ok(text),
            other => anyhow::bail!("{other:?}"),
        }
    }

    #[test]
    fn placeholders_stand_for_the_values_of_their_side() {
        assert_eq!(made("ours", "  a: ***\n").unwrap(), "  a: ours\n");
        assert_eq!(made("base", "  a: ***\n").unwrap(), "  a: old\n");
        assert_eq!(made("theirs", "  # why\n  a: ***\n  c: new\n").unwrap(), "  # why\n  a: theirs\n  c: new\n");
        assert_eq!(made("ours", "  a: mine\n").unwrap(), "  a: mine\n");
        let whole = "  a: ***\n  b: ***\n    ***\n    ***\n";
        assert_eq!(made("ours", whole).unwrap(), "  a: ours\n  b: |\n    one\n    two\n");
    }

    #[test]
    fn lines_that_were_shown_may_go_whatever_ends_them() {
        let text = TEXT.replace("  a: ours\n", "  # x\n  # x\n  a: ours\n").replace('\n', "\r\n");
        let sent = serde_json::json!({ "0": { "masked": { "side": "ours", "text": "  # x\r\n  a: ***\r\n" } } });
        let made = unmasked(&text, serde_json::from_value(sent).unwrap()).unwrap();
        assert_eq!(made, Choices::from([(0, Choice::Text("  # x\r\n  a: ours\r\n".to_owned()))]));
    }

    #[test]
    fn other_choices_are_what_they_are() {
        let sent = serde_json::from_str(r#"{"0": "theirs", "1": {"text": "x"}}"#).unwrap();
        let expected = Choices::from([(0, Choice::Theirs), (1, Choice::Text("x".to_owned()))]);
        assert_eq!(unmasked(TEXT, sent).unwrap(), expected);
    }

    #[test]
    fn a_placeholder_without_its_value_is_refused() {
        for text in ["  c: ***\n", "  a: ***\n  a: ***\n", "  b: ***\n    ***\n"] {
            let error = made("ours", text).unwrap_err().to_string();
            assert!(error.contains("***") && !error.contains("ours") && !error.contains("two"), "{error}");
        }
    }
}
