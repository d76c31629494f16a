//! Writes the page: one file, with its style, its program and what it shows inside.
//!
//! Invariant: what comes from files is data in JSON, which the program puts on the page as text, never as markup.

use kmerge_core::Schema;
use serde::Serialize;

use super::file::{File, Merge};
use crate::report::Words;
use crate::terminal::escaped;

const HTML: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const PROGRAM: &str = include_str!("page/page.js");

/// What the page calls the merge and its sides.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Labels {
    pub(crate) title: String,
    pub(crate) ours: String,
    pub(crate) base: String,
    pub(crate) theirs: String,
}

/// All that the page shows.
#[derive(Serialize)]
struct Data<'p> {
    version: &'static str,
    labels: &'p Labels,
    /// Whether a server waits for what is chosen.
    serves: bool,
    files: Vec<File>,
}

/// The page of some merges.
pub(crate) fn write(merges: &[Merge], labels: &Labels, schema: &Schema, serves: bool) -> serde_json::Result<String> {
    let file = |merge: &Merge| {
        let mut file = File::new(merge, Words::GIT);
        file.check(merge, schema);
        file
    };
    let files = merges.iter().map(file).collect();
    let data = Data { version: env!("CARGO_PKG_VERSION"), labels, serves, files };
    // Nothing in the data may end the element that holds it.
    let data = escaped(serde_json::to_string(&data)?).replace('<', "\\u003c");
    let (before, rest) = HTML.split_once("/*style*/").expect("page.html has a place for its style");
    let (between, rest) = rest.split_once("/*data*/").expect("page.html has a place for its data");
    let (last, after) = rest.split_once("/*program*/").expect("page.html has a place for its program");
    Ok([before, STYLE, between, &data, last, PROGRAM, after].concat())
}
