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

/// Whether a value of the configuration is a command that somebody wrote: it runs what setup's own one does, with other flags.
pub(crate) fn is_users(key: &str, old: &str, new: &str) -> bool {
    let written = |git| config(git).into_iter().any(|(name, value)| name == key && value == old);
    let is_setups = [(0, 0), NAMES_OF_SIDES].into_iter().any(written);
    !is_setups && subcommands(new).iter().any(|wanted| subcommands(old).contains(wanted))
}

/// The commands of kmerge that a shell command runs.
fn subcommands(command: &str) -> Vec<&str> {
    let quotes = ['"', '\'', ';', '(', ')'];
    let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches(quotes)).collect();
    let is_kmerge = |word: &str| matches!(word.rsplit(['/', '\\']).next(), Some("kmerge" | "kmerge.exe"));
    let is_name = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    words.windows(2).filter(|pair| is_kmerge(pair[0]) && is_name(pair[1])).map(|pair| pair[1]).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_run_kmerge_with_other_flags_are_the_users() {
        const KEY: &str = "merge.kmerge.driver";
        let new = driver("", (2, 44));
        let flags = driver(" --list-key spec.x=id", (2, 44));
        for users in [flags.as_str(), "kmerge driver --quiet %O %A %B", "'/opt/my tools/kmerge' driver %O %A %B"] {
            assert!(is_users(KEY, users, &new), "{users}");
        }
        let before = driver("", (2, 30));
        for other in [before.as_str(), &new, "mine %A", "if command -v kmerge; then mine; fi", "kmerge diff %A"] {
            assert!(!is_users(KEY, other, &new), "{other}");
        }
        assert!(is_users("difftool.kmerge.cmd", "kmerge diff --brief \"$LOCAL\"", "kmerge diff -- \"$LOCAL\""));
    }
}
