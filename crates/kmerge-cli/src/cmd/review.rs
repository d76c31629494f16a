//! `kmerge review`: a page that shows a merge.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use kmerge_core::markers::hunks;
use kmerge_core::{Schema, Slots};

use crate::cli::review::ReviewArgs;
use crate::exit::Exit;
use crate::input::STDIO;
use crate::options;
use crate::review::{Labels, Merge, Written, gather, open, serve, write};
use crate::{output, terminal};

/// What the page is about.
enum Subject<'a> {
    /// The unmerged files of the repository around.
    Unmerged,
    /// Those below a directory.
    Below(&'a Path),
    /// A finished merge commit.
    Commit(&'a str),
    /// A merge of two commits that was not done yet.
    Planned { into: &'a str, from: &'a str },
    /// Three files, or three directories.
    Paths([&'a Path; 3]),
}

impl<'a> Subject<'a> {
    fn of(args: &'a ReviewArgs) -> anyhow::Result<Self> {
        if let (Some(base), Some(ours), Some(theirs)) = (&args.base, &args.ours, &args.theirs) {
            return Ok(Self::Paths([base, ours, theirs]));
        }
        if let Some(from) = &args.merge {
            return Ok(Self::Planned { into: &args.into, from });
        }
        match args.what.as_slice() {
            [] => Ok(Self::Unmerged),
            [directory] if directory.is_dir() => Ok(Self::Below(directory)),
            [file] if file.is_file() => {
                bail!("{} is one file: name its directory, or three versions: BASE OURS THEIRS", file.display())
            }
            [commit] => {
                ensure!(!args.serve, "a finished merge commit cannot be written to: leave out --serve");
                Ok(Self::Commit(commit.to_str().context("a commit has a name in UTF-8")?))
            }
            [base, ours, theirs] => Ok(Self::Paths([base, ours, theirs])),
            _ => bail!("a merge has three versions: name the base, our side and their side"),
        }
    }
}

pub(crate) fn run(args: &ReviewArgs) -> anyhow::Result<Exit> {
    let schema = options::schema(&args.schema)?;
    let subject = Subject::of(args)?;
    let output = std::path::absolute(&args.output)?;
    if let Subject::Below(directory) = subject {
        // git names unmerged files from where it stands.
        std::env::set_current_dir(directory).with_context(|| format!("cannot enter {}", directory.display()))?;
    }
    let (mut merges, labels) = merges(&subject, &schema)?;
    merges.sort_by_key(|merge| conflicts(merge) == 0);
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
    output::write(&output, page.as_bytes())?;
    let (files, conflicts) = (counted(merges.len(), "file"), counted(count(&merges), "conflict"));
    writeln!(terminal::stderr(), "{}: {files}, {conflicts}", args.output.display())?;
    if args.open {
        open(&output)?;
    }
    Ok(exit)
}

/// The merges that a page is about, and what it calls them.
fn merges(subject: &Subject<'_>, schema: &Schema) -> anyhow::Result<(Vec<Merge>, Labels)> {
    let labels = |title: String, [ours, base, theirs]: [&str; 3]| Labels {
        title,
        ours: ours.to_owned(),
        base: base.to_owned(),
        theirs: theirs.to_owned(),
    };
    match *subject {
        Subject::Paths(paths @ [base, ours, theirs]) => {
            let names = [ours, base, theirs].map(|path| path.display().to_string());
            let labels = labels(format!("{} into {}", names[2], names[0]), names.each_ref().map(String::as_str));
            let found = if gather::are_directories(paths)? {
                let [dest, base, incoming] = [ours, base, theirs].map(|path| Some(path.to_owned()));
                gather::directories(&Slots { dest, base, incoming }, &gather::options(schema.clone()))?
            } else {
                gather::files(paths, schema)?
            };
            Ok((found, labels))
        }
        Subject::Planned { into, from } => {
            let title = format!("Merge {from} into {into}");
            Ok((gather::commits(into, from, schema)?, labels(title, [into, "base", from])))
        }
        Subject::Commit(commit) => {
            let parents = [format!("{commit}^1"), format!("{commit}^2")];
            let names = [parents[0].as_str(), "base", parents[1].as_str()];
            Ok((gather::commit(commit, schema)?, labels(format!("Merge commit {commit}"), names)))
        }
        Subject::Below(directory) => {
            let here = std::env::current_dir()?.canonicalize()?;
            let found: Vec<Merge> =
                gather::unmerged(schema)?.into_iter().filter_map(|merge| merge_below(merge, &here)).collect();
            ensure!(!found.is_empty(), "no file in {} is unmerged", directory.display());
            let title = format!("Merge in progress in {}", directory.display());
            Ok((found, labels(title, ["ours", "base", "theirs"])))
        }
        Subject::Unmerged => {
            let found = gather::unmerged(schema)?;
            ensure!(!found.is_empty(), "no file is unmerged: name a commit, or three versions: BASE OURS THEIRS");
            Ok((found, labels("Merge in progress".to_owned(), ["ours", "base", "theirs"])))
        }
    }
}

/// A merge with the path of its file from a directory; `None` if it is not below that.
fn merge_below(merge: Merge, here: &Path) -> Option<Merge> {
    let path = here.join(&merge.path);
    let directory = path.parent()?.canonicalize().ok()?;
    let path = directory.strip_prefix(here).ok()?.join(path.file_name()?).display().to_string();
    Some(Merge { path, ..merge })
}

/// How many hunks and files nobody has decided.
fn count(merges: &[Merge]) -> usize {
    merges.iter().map(conflicts).sum()
}

fn conflicts(merge: &Merge) -> usize {
    hunks(merge.result.as_bytes()).len().max(usize::from(merge.is_removed_by_one))
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
