//! What git must be told so that it merges and diffs YAML with kmerge: configuration and attributes.

pub(crate) mod attributes;
pub(crate) mod pre_commit;

use anyhow::Context as _;

/// The first git that fills in the names of the sides.
const NAMES_OF_SIDES: (u32, u32) = (2, 44);
/// The options that take them.
const NAMES: &str = " -s %S -x %X -y %Y";

/// git's mergetool splits and joins this at blanks before its shell reads it.
const RESOLVE: &str =
    "kmerge resolve -- \"$MERGED\" || { test -n \"$BACKUP\" && cp -- \"$MERGED\" \"$BACKUP\"; false; }";

/// A driver's command for the shell. A missing or broken binary must not cost anyone a side of a merge, so then git's own
/// merge runs. git fills in the placeholders and quotes them; the names of the sides exist from git 2.44 on.
fn driver(options: &str, git: (u32, u32)) -> String {
    let (names, by_lines) = (names(git), by_lines(git));
    format!(
        "if command -v kmerge >/dev/null 2>&1; then kmerge driver{options} %O %A %B -l %L -p %P{names}; s=$?; \
         else s=127; fi; \
         case $s in 126|127) {by_lines};; *) exit $s;; esac"
    )
}

fn names(git: (u32, u32)) -> &'static str {
    if git >= NAMES_OF_SIDES { NAMES } else { "" }
}

/// A driver that is git's own merge.
pub(crate) fn by_lines(git: (u32, u32)) -> String {
    let names = if git >= NAMES_OF_SIDES { " -L %X -L %S -L %Y" } else { "" };
    format!("git merge-file --marker-size=%L{names} %A %O %B")
}

/// The configuration of both drivers for one run of git, in which this very binary is the driver; `options` go to it.
pub(crate) fn own_config(git: (u32, u32), options: &str) -> anyhow::Result<Vec<(&'static str, String)>> {
    let binary = std::env::current_exe().context("cannot find out where kmerge is")?;
    let binary = binary.to_str().context("the path of kmerge is not UTF-8")?;
    // git fills in what follows a `%`, and hands the rest to a shell.
    let quoted = format!("'{}'", binary.replace('\'', "'\\''").replace('%', "%%"));
    let names = names(git);
    let driver = |options: &str| format!("{quoted} driver{options} %O %A %B -l %L -p %P{names}");
    Ok(vec![
        ("merge.kmerge.driver", driver(options)),
        ("merge.kmerge.recursive", "kmerge-base".to_owned()),
        ("merge.kmerge-base.driver", driver(" --on-conflict base")),
    ])
}

/// Keys and values of the configuration, for a git of this version.
pub(crate) fn config(git: (u32, u32)) -> Vec<(&'static str, String)> {
    vec![
        ("merge.kmerge.name", "kmerge, a merge of YAML by structure".to_owned()),
        ("merge.kmerge.driver", driver("", git)),
        // Virtual ancestors of criss-cross merges become input of the next merge, so they must not hold markers.
        ("merge.kmerge.recursive", "kmerge-base".to_owned()),
        ("merge.kmerge-base.name", "kmerge, for virtual ancestors".to_owned()),
        ("merge.kmerge-base.driver", driver(" --on-conflict base", git)),
        // git shows the first group of the last line before a hunk that fits.
        ("diff.kmerge.xfuncname", "^[ -]*(\"?(kind|name)\"?: .*)$".to_owned()),
        ("difftool.kmerge.cmd", "kmerge diff -- \"$LOCAL\" \"$REMOTE\"".to_owned()),
        // It works on the file itself, so what somebody has edited there already stays. Where conflicts are left, git puts its
        // backup in the place of the file: what is solved goes there, too.
        ("mergetool.kmerge.cmd", RESOLVE.to_owned()),
        ("mergetool.kmerge.trustExitCode", "true".to_owned()),
    ]
}
