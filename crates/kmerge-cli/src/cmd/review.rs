//! `kmerge review`: a page that shows a merge.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, ensure};
use kmerge_core::markers::hunks;
use kmerge_core::{Schema, Slots};

use crate::cli::review::ReviewArgs;
use crate::exit::Exit;
use crate::input::STDIO;
use crate::options;
use crate::review::{Labels, Merge, Written, gather, open, serve, write};
use crate::{output, terminal};

pub(crate) fn run(args: &ReviewArgs) -> anyhow::Result<Exit> {
    let schema = options::schema(&args.schema)?;
    let (mut merges, labels) = merges(args, &schema)?;
    merges.sort_by_key(|merge| hunks(merge.result.as_bytes()).is_empty());
    let exit = if count(&merges) == 0 { Exit::Clean } else { Exit::Findings };
    let page = write(&merges, &labels, &schema, args.serve).context("cannot write the page")?;
    if args.serve {
        return serve_page(args, &page, &merges, &schema);
    }
    if args.output.as_os_str() == STDIO {
        ensure!(!args.open, "a page on stdout cannot be opened: name a file with --output");
        std::io::stdout().write_all(page.as_bytes())?;
        return Ok(exit);
    }
    output::write(&args.output, page.as_bytes())?;
    let (files, conflicts) = (counted(merges.len(), "file"), counted(count(&merges), "conflict"));
    writeln!(terminal::stderr(), "{}: {files}, {conflicts}", args.output.display())?;
    if args.open {
        open(&args.output)?;
    }
    Ok(exit)
}

/// The merges that the arguments mean, and what the page calls them.
fn merges(args: &ReviewArgs, schema: &Schema) -> anyhow::Result<(Vec<Merge>, Labels)> {
    let labels = |title: String, [ours, base, theirs]: [&str; 3]| Labels {
        title,
        ours: ours.to_owned(),
        base: base.to_owned(),
        theirs: theirs.to_owned(),
    };
    if let (Some(base), Some(ours), Some(theirs)) = (&args.base, &args.ours, &args.theirs) {
        let names = [ours, base, theirs].map(|path| path.display().to_string());
        let labels = labels(format!("{} into {}", names[2], names[0]), names.each_ref().map(String::as_str));
        let found = if gather::are_directories([base, ours, theirs])? {
            let roots = Slots { dest: Some(ours.clone()), base: Some(base.clone()), incoming: Some(theirs.clone()) };
            gather::directories(&roots, &gather::options(schema.clone()))?
        } else {
            gather::files([base, ours, theirs], schema)?
        };
        return Ok((found, labels));
    }
    if let Some(from) = &args.merge {
        let into = args.into.as_str();
        let title = format!("Merge {from} into {into}");
        return Ok((gather::commits(into, from, schema)?, labels(title, [into, "base", from])));
    }
    if let Some(commit) = &args.commit {
        let parents = [format!("{commit}^1"), format!("{commit}^2")];
        let names = [parents[0].as_str(), "base", parents[1].as_str()];
        return Ok((gather::commit(commit, schema)?, labels(format!("Merge commit {commit}"), names)));
    }
    let found = gather::unmerged(schema)?;
    ensure!(!found.is_empty(), "no file is unmerged: name a commit, or --base, --ours and --theirs");
    Ok((found, labels("Merge in progress".to_owned(), ["ours", "base", "theirs"])))
}

/// How many hunks nobody has decided.
fn count(merges: &[Merge]) -> usize {
    merges.iter().map(|merge| hunks(merge.result.as_bytes()).len()).sum()
}

fn serve_page(args: &ReviewArgs, page: &str, merges: &[Merge], schema: &Schema) -> anyhow::Result<Exit> {
    let file = |merge: &Merge| {
        let path = Path::new(&merge.path).to_owned();
        let before = std::fs::read(&path).with_context(|| format!("cannot read {}", merge.path))?;
        Ok(Written { path, before })
    };
    let mut files = merges.iter().map(file).collect::<anyhow::Result<Vec<Written>>>()?;
    serve(page, merges, &mut files, schema, |address| {
        writeln!(terminal::stderr(), "the page is at {address}; it ends with its button Done, or with Ctrl-C")?;
        if args.open { open(Path::new(address)) } else { Ok(()) }
    })?;
    let left = files.iter().filter(|file| !hunks(&file.before).is_empty()).count();
    Ok(if left == 0 { Exit::Clean } else { Exit::Findings })
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
