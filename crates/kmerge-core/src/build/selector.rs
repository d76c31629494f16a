//! Label selectors, as `kubectl get --selector` reads them.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::value::{Map, Value};

/// Requirements on labels or annotations. All of them must be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Missing,
    In(BTreeSet<String>),
    NotIn(BTreeSet<String>),
    Above(i64),
    Below(i64),
}

/// Why a text is not a selector.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum SelectorError {
    /// A requirement is missing before or after a comma.
    #[error("a requirement is missing, such as app=web")]
    Empty,
    /// The text after a key is not an operator.
    #[error("expected =, ==, !=, in, notin, < or > after the key, found {0:?}")]
    Operator(String),
    /// A list of values that is not in parentheses.
    #[error("the values of in and notin must be in parentheses")]
    Values,
    /// A value that must be a number is none.
    #[error("{0:?} is not a whole number")]
    Number(String),
}

impl Selector {
    /// Reads a selector: `app=web,tier in (front, back),!canary`.
    ///
    /// # Errors
    ///
    /// If the text is not valid.
    pub(super) fn parse(text: &str) -> Result<Self, SelectorError> {
        split(text).into_iter().map(requirement).collect::<Result<_, _>>().map(Self)
    }

    /// Whether labels or annotations meet all requirements.
    #[must_use]
    pub(super) fn fits(&self, labels: Option<&Map>) -> bool {
        self.0.iter().all(|requirement| {
            let value = labels.and_then(|labels| labels.get(&requirement.key)).and_then(Value::as_text);
            requirement.test.holds(value)
        })
    }
}

impl Test {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::Exists => value.is_some(),
            Self::Missing => value.is_none(),
            Self::In(values) => value.is_some_and(|value| values.contains(value)),
            Self::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Self::Above(least) => number().is_some_and(|number| number > *least),
            Self::Below(most) => number().is_some_and(|number| number < *most),
        }
    }
}

/// The requirements: the parts between commas. Commas in parentheses do not separate.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn requirement(text: &str) -> Result<Requirement, SelectorError> {
    let text = text.trim();
    if let Some(key) = text.strip_prefix('!') {
        return Ok(Requirement { key: key_of(key)?.0, test: Test::Missing });
    }
    let (key, rest) = key_of(text)?;
    let rest = rest.trim();
    let (operator, values) = operator(rest);
    let test = match operator {
        "" if rest.is_empty() => Test::Exists,
        "=" | "==" => Test::In(one(values)),
        "!=" => Test::NotIn(one(values)),
        "in" => Test::In(several(values)?),
        "notin" => Test::NotIn(several(values)?),
        ">" => Test::Above(number(values)?),
        "<" => Test::Below(number(values)?),
        _ => return Err(SelectorError::Operator(rest.to_owned())),
    };
    Ok(Requirement { key, test })
}

/// A key, and the text after it.
fn key_of(text: &str) -> Result<(String, &str), SelectorError> {
    let text = text.trim();
    let end = text.find(|char: char| char.is_whitespace() || "=!<>(".contains(char)).unwrap_or(text.len());
    if end == 0 {
        return Err(SelectorError::Empty);
    }
    Ok((text[..end].to_owned(), &text[end..]))
}

fn operator(text: &str) -> (&str, &str) {
    let symbol = ["==", "!=", "=", ">", "<"].into_iter().find(|symbol| text.starts_with(symbol));
    let word = || text.find(|char: char| !char.is_ascii_alphabetic()).unwrap_or(text.len());
    let end = symbol.map_or_else(word, str::len);
    (&text[..end], text[end..].trim())
}

fn one(text: &str) -> BTreeSet<String> {
    BTreeSet::from([text.to_owned()])
}

fn several(text: &str) -> Result<BTreeSet<String>, SelectorError> {
    let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).ok_or(SelectorError::Values)?;
    Ok(inside.split(',').map(|value| value.trim().to_owned()).collect())
}

fn number(text: &str) -> Result<i64, SelectorError> {
    text.parse().map_err(|_| SelectorError::Number(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(selector: &str) -> bool {
        let labels = [("app", "web"), ("x.y/tier", "front"), ("rank", "5")];
        let labels: Map = labels.map(|(key, value)| (key.to_owned(), Value::text(value))).into();
        Selector::parse(selector).expect("it is one").fits(Some(&labels))
    }

    #[test]
    fn requirements_hold_or_not() {
        for holds in ["app", "!zone", "app=web", "app == web", "app!=api", "app in (api, web)", "app notin (api)"] {
            assert!(fits(holds), "{holds}");
        }
        for holds in ["zone!=a", "zone notin (a)", "rank>4", "rank<6", "app=web,x.y/tier=front,!zone", " app , !z "] {
            assert!(fits(holds), "{holds}");
        }
        for fails in ["zone", "!app", "app=we", "app in ()", "app notin (web)", "rank>5", "app>1", "zone=", "app=web,z"]
        {
            assert!(!fits(fails), "{fails}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", ",", "app=web,", "app web", "=web", "app in web", "rank>x", "! "] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
    }
}
