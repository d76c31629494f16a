//! Reading: files and stdin as named texts, and places in them.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context as _, ensure};
use kmerge_core::{Secrets, is_template};
use kyaml_ast::{ParseError, Place, Span, Stream};

use crate::bytes::{Bytes, max_bytes};
use crate::diagnostic::{Code, Diagnostic};
use crate::places::{Places, line_starts};
use crate::tree::is_dot_git;

/// The name on the command line of stdin and stdout.
pub(crate) const STDIO: &str = "-";

/// A text with the name under which people know it.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Lines and columns; found out when somebody asks.
    places: OnceLock<Places>,
    /// Where lines start; the same.
    starts: OnceLock<Vec<u32>>,
    /// What must not be shown; the same.
    secrets: OnceLock<Secrets>,
}

impl Source {
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            places: OnceLock::new(),
            starts: OnceLock::new(),
            secrets: OnceLock::new(),
        }
    }

    /// Reads a file, or stdin for `-`.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let (name, bytes) = read_bytes(path)?;
        Ok(Self::decode(name, bytes)?)
    }

    /// The text that the bytes of a file are.
    pub(crate) fn decode(name: String, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(name, text)),
            Err(error) => Err(not_utf8(name, error.as_bytes())),
        }
    }

    /// Reads a file that messages call `name`.
    pub(crate) fn read_as(path: &Path, name: Option<&str>) -> anyhow::Result<Self> {
        let source = Self::read(path)?;
        Ok(match name {
            Some(name) => Self { name: name.to_owned(), ..source },
            None => source,
        })
    }

    /// The text as a tree.
    pub(crate) fn parse(&self) -> Result<Stream<'_>, Diagnostic> {
        self.explained(Stream::parse(&self.text))
    }

    /// The text as a tree that can be merged by structure: a template cannot.
    pub(crate) fn parse_mergeable(&self) -> Result<Stream<'_>, Diagnostic> {
        self.mergeable(self.parse()?)
    }

    /// The same, for a text that is mostly that of another tree.
    pub(crate) fn parse_mergeable_like(&self, other: &Stream<'_>) -> Result<Stream<'_>, Diagnostic> {
        self.mergeable(self.explained(other.parse_again(&self.text))?)
    }

    fn explained<'s>(&'s self, parsed: Result<Stream<'s>, ParseError>) -> Result<Stream<'s>, Diagnostic> {
        parsed.map_err(|error| {
            let diagnostic = Diagnostic::error(Code::Syntax, error.to_string()).at(self, error.span, "");
            if self.text.contains("{{") {
                diagnostic
                    .help("a template is not YAML until it is rendered; merge the rendered files, or merge it with git")
            } else {
                diagnostic
            }
        })
    }

    fn mergeable<'s>(&'s self, stream: Stream<'s>) -> Result<Stream<'s>, Diagnostic> {
        if !is_template(&stream) {
            return Ok(stream);
        }
        let at = self.text.find("{{").map_or(0, |at| at as u32);
        let message = "this is a template, which has no structure to merge by";
        Err(Diagnostic::error(Code::Template, message)
            .at(self, Span::new(at, at + 2), "")
            .help("merge the rendered files; with an original (merge3, git), templates are merged line by line"))
    }

    /// Line and column of a byte.
    pub(crate) fn place(&self, at: u32) -> Place {
        self.places.get_or_init(|| Places::of(&self.text)).place(&self.text, at)
    }

    /// A line (from 0) without its newline.
    pub(crate) fn line(&self, line: usize) -> &str {
        let start = self.starts()[line] as usize;
        let end = self.starts().get(line + 1).map_or(self.text.len(), |&end| end as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// Where a line (from 0) starts.
    pub(crate) fn line_start(&self, line: usize) -> u32 {
        self.starts()[line]
    }

    /// What must not be shown.
    pub(crate) fn secrets(&self) -> &Secrets {
        self.secrets.get_or_init(|| Secrets::in_text(&self.text))
    }

    fn starts(&self) -> &[u32] {
        self.starts.get_or_init(|| line_starts(&self.text))
    }
}

/// The file itself, or all YAML and JSON files below a directory, in the order of their paths.
///
/// A link to a file of the same directory is followed; one that leads out of it, and what is no file, ends this.
pub(crate) fn yaml_files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let (mut files, mut open) = (Vec::new(), vec![path.to_owned()]);
    while let Some(directory) = open.pop() {
        let entries = std::fs::read_dir(&directory).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        for entry in entries.with_context(|| format!("cannot read {}", directory.display()))? {
            let found = entry.path();
            let extension = found.extension().and_then(OsStr::to_str);
            let kind = entry.file_type()?;
            if kind.is_dir() {
                if !entry.file_name().to_str().is_some_and(is_dot_git) {
                    open.push(found);
                }
            } else if matches!(extension, Some("yaml" | "yml" | "json")) {
                if !kind.is_file() {
                    check_link(path, &found)?;
                }
                files.push(found);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// What is no file itself is a link to one in the same directory.
fn check_link(root: &Path, path: &Path) -> anyhow::Result<()> {
    let cannot = || format!("cannot read {}", path.display());
    let target = path.canonicalize().with_context(cannot)?;
    let (root, shown) = (root.canonicalize().with_context(cannot)?, root.display());
    ensure!(
        target.starts_with(root),
        "{} is a link out of {shown}: name the file itself, or a directory that has both",
        path.display()
    );
    ensure!(target.metadata().with_context(cannot)?.is_file(), "{} is a pipe, socket or device", path.display());
    Ok(())
}

/// What messages call a file, and its bytes; stdin for `-`.
pub(crate) fn read_bytes(path: &Path) -> anyhow::Result<(String, Vec<u8>)> {
    if path.as_os_str() == STDIO {
        return Ok(("<stdin>".to_owned(), read_limited(std::io::stdin().lock(), "stdin")?));
    }
    let name = path.display().to_string();
    let mut file = File::open(path).map_err(|error| unreadable(&name, &error))?;
    let bytes = read_file(&mut file, &name)?;
    Ok((name, bytes))
}

/// All bytes of an open file, from its start, unless `--max-bytes` forbids it; messages call it `name`.
pub(crate) fn read_file(file: &mut File, name: &str) -> Result<Vec<u8>, Diagnostic> {
    let metadata = file.metadata().map_err(|error| unreadable(name, &error))?;
    if metadata.len() > max_bytes() {
        return Err(too_large(name));
    }
    if metadata.is_file() {
        file.rewind().map_err(|error| unreadable(name, &error))?;
    }
    let mut bytes = Vec::new();
    // The buffer would else grow to up to twice the file.
    let room = usize::try_from(metadata.len()).unwrap_or(usize::MAX).saturating_add(1);
    bytes.try_reserve_exact(room).map_err(|error| unreadable(name, &error.into()))?;
    fill_limited(&mut bytes, file, name)?;
    Ok(bytes)
}

/// All bytes of an input, unless `--max-bytes` forbids it; no more are read than it takes to find that out.
pub(crate) fn read_limited(input: impl Read, name: &str) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = Vec::new();
    fill_limited(&mut bytes, input, name)?;
    Ok(bytes)
}

fn fill_limited(bytes: &mut Vec<u8>, input: impl Read, name: &str) -> Result<(), Diagnostic> {
    let most = max_bytes();
    input.take(most.saturating_add(1)).read_to_end(bytes).map_err(|error| unreadable(name, &error))?;
    if bytes.len() as u64 > most { Err(too_large(name)) } else { Ok(()) }
}

fn too_large(name: &str) -> Diagnostic {
    Diagnostic::error(Code::Io, format!("{name} is larger than --max-bytes {} allows", Bytes(max_bytes())))
}

pub(crate) fn unreadable(name: &str, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error(Code::Io, format!("cannot read {name}: {error}"))
}

/// The parser says what is wrong with bytes that are no UTF-8, and where.
fn not_utf8(name: String, bytes: &[u8]) -> Diagnostic {
    let error = Stream::parse_bytes(bytes).err();
    let message = error.map_or_else(|| "the input is not UTF-8".to_owned(), |error| error.to_string());
    let good = error.map_or(0, |error| error.span.start as usize);
    Diagnostic::error(Code::Encoding, message).at(&Source::new(name, readable(bytes, good)), Span::at(good as u32), "")
}

/// What can be shown of bytes that are no UTF-8 from `good` on. What makes a Secret of them may stand further down.
pub(crate) fn readable(bytes: &[u8], good: usize) -> String {
    let whole = String::from_utf8_lossy(bytes);
    match Secrets::in_text(&whole).is_empty() {
        true => String::from_utf8_lossy(bytes.get(..good).unwrap_or_default()).into_owned(),
        false => whole.into_owned(),
    }
}
