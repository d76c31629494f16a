//! What is said to people, on stderr and stdout: control characters in it are shown, never sent to the terminal.
//!
//! Invariant: nothing but line breaks, tabs and the colours of this program reaches a terminal raw. C0 controls and DEL are shown as
//! their pictures (`␛`), C1 controls and those that turn the direction of text around as `�`, each one column wide. Ignores
//! results: merged files and patches are written as they are. JSON has escapes of its own for the same characters.

use std::borrow::Cow;
use std::fmt::{Arguments, Write as _};
use std::io::{self, Write};

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use serde_json::Value;

/// Which characters stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// Line breaks and tabs.
    Breaks,
    /// Line breaks, tabs and colours: what comes from files must have gone through [`text`] or [`line()`] before.
    Colours,
    /// Line breaks and tabs. Colours are left out.
    NoColours,
}

/// Writes to people.
#[derive(Debug)]
pub(crate) struct Terminal<W> {
    to: W,
    kept: Kept,
}

/// Says something without colours on stderr: a formatted message is one line, whatever the names in it hold.
pub(crate) fn stderr() -> Terminal<io::Stderr> {
    Terminal { to: io::stderr(), kept: Kept::Breaks }
}

/// The same on stdout.
pub(crate) fn stdout() -> Terminal<io::Stdout> {
    Terminal { to: io::stdout(), kept: Kept::Breaks }
}

/// Says something with colours on stderr, where people want them.
pub(crate) fn coloured_stderr() -> Terminal<AutoStream<io::Stderr>> {
    coloured(anstream::stderr())
}

/// The same on stdout.
pub(crate) fn coloured_stdout() -> Terminal<AutoStream<io::Stdout>> {
    coloured(anstream::stdout())
}

/// Colours are left out here where nobody wants them: the stream would write each piece between two of them on its own.
fn coloured<S: RawStream>(stream: AutoStream<S>) -> Terminal<AutoStream<S>> {
    match stream.current_choice() {
        ColorChoice::Never => Terminal { to: AutoStream::always_ansi(stream.into_inner()), kept: Kept::NoColours },
        _ => Terminal { to: stream, kept: Kept::Colours },
    }
}

impl<W: Write> Write for Terminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        match self.kept {
            Kept::NoColours => self.to.write_all(without_colours(&text).as_bytes())?,
            kept => self.to.write_all(clean(&text, kept).as_bytes())?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    fn write_fmt(&mut self, message: Arguments<'_>) -> io::Result<()> {
        let message = message.to_string();
        let Kept::Breaks = self.kept else { return self.write_all(message.as_bytes()) };
        let (content, end) = message.strip_suffix('\n').map_or((message.as_str(), ""), |content| (content, "\n"));
        self.to.write_all(line(content).as_bytes())?;
        self.to.write_all(end.as_bytes())
    }
}

/// A text from a file as people see it: lines stay lines.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    clean(text, Kept::Breaks)
}

/// A name from a file as people see it, on one line.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    match clean(text, Kept::Breaks) {
        text if !text.contains(['\n', '\r', '\t']) => text,
        text => Cow::Owned(text.chars().map(picture).collect()),
    }
}

/// A report with colours as it is written into a file.
pub(crate) fn without_colours(text: &str) -> String {
    anstream::adapter::strip_str(&clean(text, Kept::Colours)).to_string()
}

/// `1 file`, `2 files`
pub(crate) fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// JSON for programs, and for people who look at it.
pub(crate) fn json(value: &Value) -> String {
    escaped(format!("{value:#}\n"))
}

/// JSON with escapes for all control characters, but for the line breaks between its tokens.
pub(crate) fn escaped(text: String) -> String {
    if !text.contains('\t') && control(&text).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\n' && is_control(character) {
            // They stand in strings only, and all of them have one unit of UTF-16.
            let _ = write!(out, "\\u{:04x}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

fn clean(text: &str, kept: Kept) -> Cow<'_, str> {
    if control(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = control(rest) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let colour = if kept == Kept::Colours { colour(found) } else { 0 };
        let length = if found.starts_with("\r\n") { 2 } else { colour };
        let (stays, behind) = found.split_at(length);
        out.push_str(stays);
        rest = behind;
        if let Some(character) = rest.chars().next().filter(|_| length == 0) {
            out.push(picture(character));
            rest = &rest[character.len_utf8()..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Where the first control character of a text is that is no line feed and no tab.
fn control(text: &str) -> Option<usize> {
    // Most texts are plain to their end, which is known much sooner byte by byte.
    let plain = text.bytes().take_while(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')).count();
    let is_it = |character: char| !matches!(character, '\n' | '\t') && is_control(character);
    text[plain..].find(is_it).map(|at| plain + at)
}

/// Length of the escape sequence for a colour or the like that a text starts with.
fn colour(text: &str) -> usize {
    let Some(codes) = text.strip_prefix("\x1b[") else { return 0 };
    let length = codes.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    if codes[length..].starts_with('m') { text.len() - codes.len() + length + 1 } else { 0 }
}

fn picture(character: char) -> char {
    const PICTURES: u32 = 0x2400;
    match character {
        '\0'..='\x1f' => char::from_u32(PICTURES + u32::from(character)).unwrap_or('\u{FFFD}'),
        '\x7f' => '\u{2421}',
        _ if is_control(character) => '\u{FFFD}',
        _ => character,
    }
}

/// Whether a terminal might obey a character, or show what follows somewhere else.
fn is_control(character: char) -> bool {
    let turns =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || turns || matches!(character, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(kept: Kept, write: impl FnOnce(&mut Terminal<&mut Vec<u8>>) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        write(&mut Terminal { to: &mut bytes, kept }).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn controls_are_shown() {
        assert_eq!(text("a\tb\r\nc\rd\0\x1b[2J\x7f\u{85}\u{202e}\n"), "a\tb\r\nc␍d␀␛[2J␡��\n");
        assert_eq!(line("a\tb\r\nc"), "a␉b␍␊c");
        assert_eq!(text("日本語 é 👩‍💻"), "日本語 é 👩‍💻");
        let all: String = (0..0x2100).filter_map(char::from_u32).filter(|at| is_control(*at)).collect();
        assert_eq!(all.chars().count(), 65 + 14);
        assert!(!line(&all).chars().any(is_control));
    }

    #[test]
    fn a_message_is_one_line_and_a_text_is_several() {
        let name = "a\nb\x1b[31mc";
        assert_eq!(written(Kept::Breaks, |to| writeln!(to, "{name}: d")), "a␊b␛[31mc: d\n");
        assert_eq!(written(Kept::Breaks, |to| to.write_all(name.as_bytes())), "a\nb␛[31mc");
    }

    #[test]
    fn colours_stay_where_they_are_ours() {
        assert_eq!(
            written(Kept::Colours, |to| write!(to, "\x1b[1;31ma\x1b[0m\n\x1b[2J\x1b]0;t\x07")),
            "\x1b[1;31ma\x1b[0m\n␛[2J␛]0;t␇"
        );
        assert_eq!(without_colours("\x1b[1ma\x1b[0m\x1b[2Jb"), "a␛[2Jb");
    }

    #[test]
    fn json_says_the_same_without_controls() {
        let value = json!({ "a\u{9b}": "\u{202e}\x7f\x1b\n\u{2028}é" });
        let text = json(&value);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert!(!text.replace('\n', "").chars().any(is_control), "{text}");
    }
}
