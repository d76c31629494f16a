//! A server for one page, which writes what is chosen on it.
//!
//! Invariant: it listens on this machine only, answers nobody who does not know the token in its address, and writes
//! nothing but the files of the merge, each only while it holds what the page was made of. It ends when the page says so.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use kmerge_core::Schema;
use kmerge_core::markers::hunks;
use serde::{Deserialize, Serialize};
use tiny_http::{Header, Method, Request, Response, Server};

use super::file::Merge;
use crate::{output, terminal};

/// Bytes of a request at most: a file may be replaced line by line by what somebody typed.
const MOST: u64 = 64 << 20;

/// A file that is written, and what it held when the page was made.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) path: PathBuf,
    pub(crate) before: Vec<u8>,
}

/// What somebody chose in the hunks of a file.
#[derive(Debug, Deserialize)]
struct Chosen {
    file: usize,
    hunks: BTreeMap<usize, Choice>,
    /// Whether it is written although it brings faults.
    #[serde(default)]
    anyway: bool,
}

/// What stands in the place of a hunk.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Choice {
    Ours,
    Base,
    Theirs,
    Text(String),
}

/// What the page hears.
#[derive(Debug, Default, Serialize)]
struct Answer {
    /// Hunks that are left.
    left: usize,
    /// What would be wrong with the file.
    faults: Vec<String>,
    written: bool,
    error: Option<String>,
}

/// Serves `page` until it is done, and writes what is chosen into `files`, which are those of `merges`. Says where it is through `tell`.
pub(crate) fn serve(
    page: &str,
    merges: &[Merge],
    files: &mut [Written],
    schema: &Schema,
    tell: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let server =
        Server::http("127.0.0.1:0").map_err(anyhow::Error::from_boxed).context("cannot listen on 127.0.0.1")?;
    let address = server.server_addr().to_ip().context("there is no port to listen on")?;
    let token = token()?;
    let desk = Desk { hosts: [address.to_string(), format!("localhost:{}", address.port())], token, merges, schema };
    tell(&format!("http://{address}/{}/", desk.token))?;
    loop {
        let mut request = server.recv().context("cannot read a request")?;
        match desk.route(&request) {
            Route::Page => respond(request, page, "text/html; charset=utf-8"),
            Route::Write => {
                let answer = desk
                    .write(&mut request, files)
                    .unwrap_or_else(|error| Answer { error: Some(format!("{error:#}")), ..Answer::default() });
                respond(request, &serde_json::to_string(&answer)?, "application/json");
            }
            Route::Done => {
                respond(request, "{}", "application/json");
                return Ok(());
            }
            // Whoever went away needs no answer.
            Route::Nothing => drop(request.respond(Response::empty(404))),
        }
    }
}

/// An address that nobody can guess.
fn token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("there are no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What is asked for.
enum Route {
    Page,
    Write,
    Done,
    Nothing,
}

struct Desk<'d> {
    /// How a browser on this machine names us; a page of somebody else would send another name.
    hosts: [String; 2],
    token: String,
    merges: &'d [Merge],
    schema: &'d Schema,
}

impl Desk<'_> {
    fn route(&self, request: &Request) -> Route {
        let header = |name: &'static str| {
            let found = request.headers().iter().find(|header| header.field.equiv(name))?;
            Some(found.value.as_str())
        };
        let is_here = header("Host").is_some_and(|host| self.hosts.iter().any(|own| own == host));
        let rest = request.url().strip_prefix('/').and_then(|rest| rest.strip_prefix(self.token.as_str()));
        match (request.method(), rest) {
            _ if !is_here => Route::Nothing,
            (Method::Get, Some("/")) => Route::Page,
            (Method::Post, Some("/write")) => Route::Write,
            (Method::Post, Some("/done")) => Route::Done,
            _ => Route::Nothing,
        }
    }

    fn write(&self, request: &mut Request, files: &mut [Written]) -> anyhow::Result<Answer> {
        let mut body = Vec::new();
        request.as_reader().take(MOST + 1).read_to_end(&mut body)?;
        ensure!(body.len() as u64 <= MOST, "this is too much text");
        let chosen: Chosen = serde_json::from_slice(&body).context("the page asked for what cannot be understood")?;
        let (merge, file) =
            self.merges.get(chosen.file).zip(files.get_mut(chosen.file)).context("there is no such file")?;
        let (text, left) = resolved(merge.result.as_bytes(), &chosen.hunks);
        // Markers that are left are what nobody has decided yet.
        let faults = if left == 0 { merge.new_faults(&text, self.schema) } else { Vec::new() };
        let written = faults.is_empty() || chosen.anyway;
        if written {
            put(file, &text)?;
        }
        Ok(Answer { left, faults, written, error: None })
    }
}

/// The result with the choices in the places of its hunks, and how many hunks are left.
fn resolved(text: &[u8], choices: &BTreeMap<usize, Choice>) -> (Vec<u8>, usize) {
    let (mut out, mut done, mut left) = (Vec::with_capacity(text.len()), 0, 0);
    for (at, hunk) in hunks(text).iter().enumerate() {
        out.extend_from_slice(&text[done..hunk.whole.start]);
        match choices.get(&at) {
            Some(Choice::Ours) => out.extend_from_slice(&text[hunk.ours.clone()]),
            Some(Choice::Base) => out.extend_from_slice(&text[hunk.base.clone().unwrap_or_default()]),
            Some(Choice::Theirs) => out.extend_from_slice(&text[hunk.theirs.clone()]),
            Some(Choice::Text(text)) => out.extend_from_slice(text.as_bytes()),
            None => {
                out.extend_from_slice(&text[hunk.whole.clone()]);
                left += 1;
            }
        }
        done = hunk.whole.end;
    }
    out.extend_from_slice(&text[done..]);
    (out, left)
}

/// Writes a file unless somebody else has changed it since the page was made.
fn put(file: &mut Written, text: &[u8]) -> anyhow::Result<()> {
    let Written { path, before } = file;
    output::edit(path, |now| {
        ensure!(now == before.as_slice(), "{} has changed since the page was made: make a new one", path.display());
        Ok(text.to_vec())
    })?;
    *before = text.to_vec();
    Ok(())
}

fn respond(request: Request, content: &str, kind: &str) {
    let header = |name: &str, value: &str| {
        Header::from_bytes(name.as_bytes(), value.as_bytes()).expect("a name and a value of ASCII letters")
    };
    let headers = [("Content-Type", kind), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")];
    let mut response = Response::from_string(content);
    for (name, value) in headers {
        response.add_header(header(name, value));
    }
    if let Err(error) = request.respond(response) {
        // The browser went away; it will ask again.
        let _ = writeln!(terminal::stderr(), "kmerge: the browser did not wait for an answer: {error}");
    }
}

/// Opens an address or a file with what the user's desktop opens such things with.
pub(crate) fn open(what: &Path) -> anyhow::Result<()> {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let done = std::process::Command::new(opener).arg(what).status();
    let done = done.with_context(|| format!("cannot run {opener}"))?;
    ensure!(done.success(), "{opener} could not open {}", what.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"a\n<<<<<<< o\n1\n||||||| b\n0\n=======\n2\n>>>>>>> t\nz\n<<<<<<< o\n3\n=======\n4\n>>>>>>> t\n";

    fn chosen(choices: &str) -> (String, usize) {
        let choices: BTreeMap<usize, Choice> = serde_json::from_str(choices).unwrap();
        let (text, left) = resolved(TEXT, &choices);
        (String::from_utf8(text).unwrap(), left)
    }

    #[test]
    fn choices_stand_in_the_places_of_hunks() {
        assert_eq!(chosen(r#"{"0": "base", "1": "theirs"}"#), ("a\n0\nz\n4\n".to_owned(), 0));
        assert_eq!(chosen(r#"{"0": {"text": "x\n"}, "1": "ours"}"#), ("a\nx\nz\n3\n".to_owned(), 0));
        let (text, left) = chosen(r#"{"1": "ours"}"#);
        assert!(text.contains("<<<<<<< o\n1\n") && text.ends_with("z\n3\n"), "{text}");
        assert_eq!(left, 1);
    }

    #[test]
    fn tokens_differ() {
        assert_ne!(token().unwrap(), token().unwrap());
        assert_eq!(token().unwrap().len(), 32);
    }
}
