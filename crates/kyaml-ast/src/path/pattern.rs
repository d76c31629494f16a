//! Paths as people write them. A step may lead to any number of places, or to a new place.
//!
//! Owns the vocabulary of steps, and how they are written. Displaying a pattern and reading it again gives the same
//! pattern.

use std::fmt::{self, Display, Write as _};

use regex::{Regex, RegexBuilder};

use super::{Path, Quoted, Segment, is_bare, write_key};

/// A way to any number of places in a document.
///
/// It has the segments of a [`Path`](crate::Path) and these steps:
///
/// | step | written |
/// |---|---|
/// | elements that meet conditions | `[name!="app"]`, `[name=~"^app-",port="80"]` |
/// | all elements, all fields | `[*]`, `.*` |
/// | fields of a name at any depth | `..image` |
/// | a new element | `[+]` at the end, `[+0]` before the first, `[name="app"+]` behind one |
/// | a JSON pointer | `/spec/replicas` |
///
/// ```
/// use kyaml_ast::{Pattern, Stream};
///
/// let stream = Stream::parse("containers:\n- {name: app, image: app:1}\n- {name: proxy, image: proxy:1}\n")?;
/// let root = stream.documents().next().and_then(|document| document.root()).expect("a mapping");
/// let pattern: Pattern = ".containers[*].image".parse()?;
/// let images: Vec<_> = pattern.follow(root).iter().map(|end| end.found.node.text()).collect();
/// assert_eq!(images, ["app:1", "proxy:1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    pub(super) steps: Vec<Step>,
}

/// One step of a [`Pattern`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To one place.
    One(Segment),
    /// In a JSON pointer: to a field, or to the item at a position.
    Token(String),
    /// `[name!=app]`, `[image=~"^nginx"]`: to each element that meets all conditions.
    Where(Vec<Condition>),
    /// `[*]`: to each element.
    Items,
    /// `.*`: to each field.
    Fields,
    /// `..name`: to each field of this name, at any depth.
    Anywhere(String),
    /// To a new element.
    New(Seat),
}

/// A condition on an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The element's field. `None`: the element itself.
    pub field: Option<String>,
    /// The test of the value.
    pub test: Test,
}

/// A test of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// `=`: the value prints like this.
    Is(String),
    /// `!=`: the value does not print like this, or is missing.
    IsNot(String),
    /// `=~`: the regular expression matches a part of the value.
    Fits(Fit),
}

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Fit(Regex);

/// Why a text cannot be used as a regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FitError {
    message: String,
}

impl FitError {
    fn new(error: &regex::Error) -> Self {
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        let message = match error {
            regex::Error::CompiledTooBig(most) => {
                format!("the regular expression is too large: compiled, it takes more than {} KiB", most >> 10)
            }
            _ => format!("not a regular expression: {}", last.strip_prefix("error: ").unwrap_or(last)),
        };
        Self { message }
    }
}

/// The place of a new element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seat {
    /// `[+]`: after all others.
    Last,
    /// `[+0]`: before the element at this position.
    Before(usize),
    /// `[name=app+]`: after this element.
    Behind(Segment),
}

impl Pattern {
    /// The steps, outermost first.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the pattern may lead to any number of places, and not to exactly one.
    #[must_use]
    pub fn is_plural(&self) -> bool {
        self.steps.iter().any(Step::is_plural)
    }

    /// This pattern with one more step.
    #[must_use]
    pub fn with(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// The path, if each step leads to one place.
    #[must_use]
    pub fn to_path(&self) -> Option<Path> {
        self.steps.iter().map(Step::segment).collect()
    }
}

impl From<&Path> for Pattern {
    fn from(path: &Path) -> Self {
        Self { steps: path.segments().into_iter().cloned().map(Step::One).collect() }
    }
}

impl Step {
    /// Whether the step may lead to several places.
    #[must_use]
    pub const fn is_plural(&self) -> bool {
        matches!(self, Self::Where(_) | Self::Items | Self::Fields | Self::Anywhere(_))
    }

    /// The segment, if the step leads to exactly one place.
    pub(super) fn segment(&self) -> Option<Segment> {
        match self {
            Self::One(segment) => Some(segment.clone()),
            Self::Token(token) => Some(position(token).map_or_else(|| Segment::Field(token.clone()), Segment::Index)),
            _ => None,
        }
    }
}

/// The position that a token of a JSON pointer stands for.
pub(super) fn position(token: &str) -> Option<i64> {
    let is_number = token == "0" || !token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { token.parse().ok() } else { None }
}

impl Fit {
    /// Reads a regular expression.
    ///
    /// # Errors
    ///
    /// If the text is no regular expression, or takes more than 256 KiB when compiled. In the worst case, the time of a
    /// match is proportional to that size times the length of the text.
    pub fn new(text: &str) -> Result<Self, FitError> {
        const LARGEST: usize = 1 << 18;
        RegexBuilder::new(text).size_limit(LARGEST).build().map(Self).map_err(|error| FitError::new(&error))
    }

    /// Whether the expression matches a part of a text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Fit {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Fit {}

impl Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_char('.');
        }
        let is_pointer = self.steps.iter().any(|step| matches!(step, Step::Token(_)));
        self.steps.iter().try_for_each(|step| match step {
            Step::New(Seat::Last) if is_pointer => f.write_str("/-"),
            step => step.fmt(f),
        })
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(segment) => segment.fmt(f),
            Self::Token(token) => write!(f, "/{}", token.replace('~', "~0").replace('/', "~1")),
            Self::Where(conditions) => {
                for (at, condition) in conditions.iter().enumerate() {
                    f.write_char(if at == 0 { '[' } else { ',' })?;
                    condition.fmt(f)?;
                }
                f.write_char(']')
            }
            Self::Items => f.write_str("[*]"),
            Self::Fields => f.write_str(".*"),
            Self::Anywhere(name) if is_bare(name) => write!(f, "..{name}"),
            Self::Anywhere(name) => write!(f, "..{}", Quoted(name)),
            Self::New(Seat::Last) => f.write_str("[+]"),
            Self::New(Seat::Before(index)) => write!(f, "[+{index}]"),
            Self::New(Seat::Behind(Segment::Key(fields))) => write_key(f, fields, "+]"),
            Self::New(Seat::Behind(Segment::Value(value))) => write!(f, "[={}+]", Quoted(value)),
            Self::New(Seat::Behind(other)) => write!(f, "{other}+"),
        }
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(name) if is_bare(name) && !name.ends_with('!') => f.write_str(name)?,
            Some(name) => Quoted(name).fmt(f)?,
            None => {}
        }
        match &self.test {
            Test::Is(value) => write!(f, "={}", Quoted(value)),
            Test::IsNot(value) => write!(f, "!={}", Quoted(value)),
            Test::Fits(fit) => write!(f, "=~{}", Quoted(fit.0.as_str())),
        }
    }
}
