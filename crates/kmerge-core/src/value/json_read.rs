//! Reads JSON text strictly, as Go's `encoding/json` does with Kubernetes' number rule: integers stay integers.
//!
//! The YAML parser reads manifests. This reader is for texts that must be JSON, such as the last-applied annotation. Of
//! a repeated key, the last value counts. Unpaired surrogates become U+FFFD, as in Go.

use thiserror::Error;

use super::{Data, Float, MAX_DEPTH, Map, Value};

/// Why a text is not JSON, with the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{kind} at byte {at}")]
pub struct JsonError {
    /// What is wrong.
    pub(crate) kind: JsonErrorKind,
    /// Byte offset into the text.
    pub at: usize,
}

/// What is wrong with a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub(crate) enum JsonErrorKind {
    /// An unexpected character, or the end of the text.
    #[error("unexpected character or end of text")]
    Unexpected,
    /// A backslash before a character that needs none.
    #[error("invalid escape")]
    Escape,
    /// Brackets that are nested too deeply.
    #[error("nested deeper than {MAX_DEPTH} levels")]
    Depth,
    /// A number that no 64-bit float can hold.
    #[error("number out of range")]
    Range,
}

impl Value {
    /// Reads one JSON value.
    ///
    /// # Errors
    ///
    /// [`JsonError`] if the text is not exactly one JSON value, or if that is nested deeper than 256 levels.
    pub fn from_json(text: &str) -> Result<Self, JsonError> {
        let mut reader = Reader { text, at: 0 };
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut done = match reader.start()? {
                Started::Value(value) => value,
                Started::Collection(collection) => {
                    if open.len() == MAX_DEPTH {
                        return Err(reader.error(JsonErrorKind::Depth));
                    }
                    match reader.first(collection)? {
                        Step::More(collection) => {
                            open.push(collection);
                            continue;
                        }
                        Step::Done(value) => value,
                    }
                }
            };
            loop {
                let Some(collection) = open.pop() else {
                    return reader.end().map(|()| done);
                };
                match reader.next(collection.with(done))? {
                    Step::More(collection) => {
                        open.push(collection);
                        break;
                    }
                    Step::Done(value) => done = value,
                }
            }
        }
    }
}

/// A collection that is being read. A mapping has the key of its next value.
enum Open {
    List(Vec<Value>),
    Map(Map, String),
}

impl Open {
    fn with(self, value: Value) -> Self {
        match self {
            Self::List(mut items) => {
                items.push(value);
                Self::List(items)
            }
            Self::Map(mut map, key) => {
                map.insert(key, value);
                Self::Map(map, String::new())
            }
        }
    }
}

enum Started {
    Value(Value),
    Collection(Open),
}

enum Step {
    More(Open),
    Done(Value),
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    const fn error(&self, kind: JsonErrorKind) -> JsonError {
        JsonError { kind, at: self.at }
    }

    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> Result<(), JsonError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(self.error(JsonErrorKind::Unexpected))
    }

    fn end(&mut self) -> Result<(), JsonError> {
        self.peek().map_or(Ok(()), |_| Err(self.error(JsonErrorKind::Unexpected)))
    }

    fn start(&mut self) -> Result<Started, JsonError> {
        let data = match self.peek() {
            Some(b'[') => return Ok(Started::Collection(Open::List(Vec::new()))),
            Some(b'{') => return Ok(Started::Collection(Open::Map(Map::new(), String::new()))),
            Some(b'"') => Data::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'n') => self.word("null", Data::Null)?,
            Some(b't') => self.word("true", Data::Bool(true))?,
            Some(b'f') => self.word("false", Data::Bool(false))?,
            _ => return Err(self.error(JsonErrorKind::Unexpected)),
        };
        Ok(Started::Value(Value::new(data)))
    }

    /// Continues after the opening bracket, which is not read yet.
    fn first(&mut self, collection: Open) -> Result<Step, JsonError> {
        self.at += 1;
        match collection {
            Open::List(items) if self.peek() != Some(b']') => Ok(Step::More(Open::List(items))),
            Open::Map(map, _) if self.peek() != Some(b'}') => Ok(Step::More(Open::Map(map, self.key()?))),
            collection => Ok(Step::Done(self.close(collection))),
        }
    }

    /// Continues after a value of the collection.
    fn next(&mut self, collection: Open) -> Result<Step, JsonError> {
        let bracket = if matches!(collection, Open::List(_)) { b']' } else { b'}' };
        if self.peek() == Some(bracket) {
            return Ok(Step::Done(self.close(collection)));
        }
        self.eat(b',')?;
        match collection {
            Open::List(_) => Ok(Step::More(collection)),
            Open::Map(map, _) => Ok(Step::More(Open::Map(map, self.key()?))),
        }
    }

    fn close(&mut self, collection: Open) -> Value {
        self.at += 1;
        match collection {
            Open::List(items) => Value::list(items),
            Open::Map(map, _) => Value::map(map),
        }
    }

    fn key(&mut self) -> Result<String, JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.error(JsonErrorKind::Unexpected));
        }
        let key = self.string()?;
        self.eat(b':')?;
        Ok(key)
    }

    fn word(&mut self, word: &str, data: Data) -> Result<Data, JsonError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.error(JsonErrorKind::Unexpected));
        }
        self.at += word.len();
        Ok(data)
    }

    fn number(&mut self) -> Result<Data, JsonError> {
        let rest = &self.text[self.at..];
        let length =
            rest.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')).count();
        let number = &rest[..length];
        if !is_number(number) {
            return Err(self.error(JsonErrorKind::Unexpected));
        }
        let float = || number.parse().ok().and_then(Float::new).map(Data::Float);
        let data = number.parse().ok().map(Data::Int).or_else(float);
        let data = data.ok_or_else(|| self.error(JsonErrorKind::Range))?;
        self.at += length;
        Ok(data)
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|character| matches!(character, '"' | '\\' | '\0'..='\x1f'));
            let plain = plain.ok_or_else(|| self.error(JsonErrorKind::Unexpected))?;
            out.push_str(&rest[..plain]);
            self.at += plain;
            match rest.as_bytes()[plain] {
                b'"' => {
                    self.at += 1;
                    return Ok(out);
                }
                b'\\' => out.push(self.escape()?),
                _ => return Err(self.error(JsonErrorKind::Unexpected)),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let escaped = self.text.as_bytes().get(self.at + 1).copied();
        let character = match escaped {
            Some(b'"' | b'\\' | b'/') => escaped.map_or('/', char::from),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.error(JsonErrorKind::Escape)),
        };
        self.at += 2;
        Ok(character)
    }

    fn unicode(&mut self) -> Result<char, JsonError> {
        let high = self.code_unit().ok_or_else(|| self.error(JsonErrorKind::Escape))?;
        self.at += 6;
        if !(0xd800..0xdc00).contains(&high) {
            return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let Some(low @ 0xdc00..0xe000) = self.code_unit() else {
            return Ok(char::REPLACEMENT_CHARACTER);
        };
        self.at += 6;
        let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// The `\uXXXX` at the current position.
    fn code_unit(&self) -> Option<u32> {
        let digits = self.text[self.at..].strip_prefix("\\u")?.get(..4)?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
    }
}

/// JSON's grammar for numbers: no leading zeros, no bare point.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = digits.split_once(['e', 'E']).map_or((digits, None), |(head, tail)| (head, Some(tail)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(head, tail)| (head, Some(tail)));
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(are_digits)
        && exponent.is_none_or(are_digits)
}

#[cfg(test)]
mod tests {
    use super::{JsonErrorKind, Value};
    use crate::value::{Data, MAX_DEPTH};

    #[test]
    fn reads_what_json_has() {
        let text =
            r#" { "a" : [ 1 , -2.50 , 1e2, true , false , null, {}, [] ] , "b\u00e9\ud83d\ude00\ud83dx\/" : "\n" } "#;
        let json = "{\"a\":[1,-2.5,100,true,false,null,{},[]],\"bé\u{1f600}\u{fffd}x/\":\"\\n\"}";
        assert_eq!(Value::from_json(text).unwrap().to_json(), json);
    }

    #[test]
    fn integers_are_exact_up_to_64_bits() {
        assert_eq!(Value::from_json("9223372036854775807").unwrap().data, Data::Int(i64::MAX));
        assert!(matches!(Value::from_json("9223372036854775808").unwrap().data, Data::Float(_)));
        assert!(matches!(Value::from_json("1.0").unwrap().data, Data::Float(_)));
    }

    #[test]
    fn the_last_of_repeated_keys_counts() {
        assert_eq!(Value::from_json(r#"{"a":1,"a":2}"#).unwrap().to_json(), r#"{"a":2}"#);
    }

    #[test]
    fn refuses_what_json_has_not() {
        let texts = [
            "",
            "{",
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,}",
            "{a:1}",
            "'a'",
            "01",
            "1.",
            ".5",
            "+1",
            "-",
            "1e",
            "nul",
            "nulll",
            "1 2",
            "\"\n\"",
            "\"",
            "not json",
            "[1}",
            "{\"a\":1]",
            ",",
            "[,]",
            "\u{a0}1",
        ];
        for text in texts {
            assert!(Value::from_json(text).is_err(), "{text:?}");
        }
        assert_eq!(Value::from_json("\"\\x\"").unwrap_err().kind, JsonErrorKind::Escape);
        assert_eq!(Value::from_json("\"\\u12g4\"").unwrap_err().kind, JsonErrorKind::Escape);
        assert_eq!(Value::from_json("1e999").unwrap_err().kind, JsonErrorKind::Range);
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Value::from_json(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(Value::from_json(&nested(MAX_DEPTH + 1)).unwrap_err().kind, JsonErrorKind::Depth);
        assert_eq!(Value::from_json(&"[".repeat(1_000_000)).unwrap_err().kind, JsonErrorKind::Depth);
    }
}
