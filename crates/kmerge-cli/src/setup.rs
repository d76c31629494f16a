//! What git must be told so that it merges and diffs YAML with kmerge: configuration and attributes.

pub(crate) mod attributes;

/// A driver's command for the shell. A missing or broken binary must not cost anyone a side of a merge, so then git's own
/// merge runs. git fills in the placeholders and quotes them; the names of the sides exist from git 2.44 on.
fn driver(options: &str, names: bool) -> String {
    let (ours, theirs) = if names { (" -s %S -x %X -y %Y", " -L %X -L %S -L %Y") } else { ("", "") };
    format!(
        "if command -v kmerge >/dev/null 2>&1; then kmerge driver{options} %O %A %B -l %L -p %P{ours}; s=$?; \
         else s=127; fi; \
         case $s in 126|127) git merge-file --marker-size=%L{theirs} %A %O %B;; *) exit $s;; esac"
    )
}

/// Keys and values of the configuration, for a git of this version.
pub(crate) fn config(git: (u32, u32)) -> Vec<(&'static str, String)> {
    let names = git >= (2, 44);
    vec![
        ("merge.kmerge.name", "kmerge, a merge of YAML by structure".to_owned()),
        ("merge.kmerge.driver", driver("", names)),
        // Virtual ancestors of criss-cross merges become input of the next merge, so they must not hold markers.
        ("merge.kmerge.recursive", "kmerge-base".to_owned()),
        ("merge.kmerge-base.name", "kmerge, for virtual ancestors".to_owned()),
        ("merge.kmerge-base.driver", driver(" --on-conflict base", names)),
        ("diff.kmerge.xfuncname", "^[ -]*((kind|name): .*)$".to_owned()),
    ]
}
