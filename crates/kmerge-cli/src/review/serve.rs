//! A server for one page, which writes what is chosen on it.
//!
//! Invariant: it listens on this machine only, answers nobody who does not know the token in its address, and writes
//! nothing but the files of the merge, each only while it holds what the page was made of. It ends when the page says so.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, ensure};
use kmerge_core::Schema;
use serde::Deserialize;
use tiny_http::{Header, Method, Request, Response, Server};

use super::choices::{Answer, Checker, Written};
use super::file::Merge;
use super::unmask::{Sent, unmasked};
use crate::terminal;

/// Bytes of a request at most: a file may be replaced line by line by what somebody typed.
const MOST: u64 = 64 << 20;

/// What somebody chose in the hunks of a file.
#[derive(Debug, Deserialize)]
struct Chosen {
    file: usize,
    hunks: BTreeMap<usize, Sent>,
    /// Whether it is written although it brings faults.
    #[serde(default)]
    anyway: bool,
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
        let choices = unmasked(&merge.result, chosen.hunks)?;
        Checker::new(merge, self.schema).write(file, &choices, chosen.anyway)
    }
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

    #[test]
    fn tokens_differ() {
        assert_ne!(token().unwrap(), token().unwrap());
        assert_eq!(token().unwrap().len(), 32);
    }
}
