//! `kmerge setup`: what it tells git, that it can be repeated, and that it can be taken back.

use crate::repo::{Repo, Versions};

const BLOCK: &str = "\
# kmerge: merges and diffs of YAML by structure; `kmerge setup --undo` removes these lines
*.yaml merge=kmerge diff=kmerge
*.yml merge=kmerge diff=kmerge
Kptfile merge=kmerge diff=kmerge
# kmerge: end
";

fn driver_of(repo: &Repo, file: &str) -> String {
    let attributes = repo.git(&["check-attr", "merge", "--", file]).expect(0).stdout;
    attributes.rsplit(' ').next().unwrap_or_default().trim().to_owned()
}

#[test]
fn setup_shows_what_it_does_and_does_it_once() {
    let repo = Repo::plain();
    let first = repo.kmerge(&["setup"]).expect(0).stdout;
    assert!(first.contains("git config: merge.kmerge.driver = if command -v kmerge"), "{first}");
    assert!(first.contains("git config: merge.kmerge.recursive = kmerge-base\n"), "{first}");
    assert!(first.contains(".git/info/attributes:\n  + # kmerge"), "{first}");
    assert_eq!(repo.read(".git/info/attributes").matches(BLOCK).count(), 1);
    let config = repo.read(".git/config");

    assert_eq!(repo.kmerge(&["setup"]).expect(0).stdout, "nothing to do\n");
    let well = "all is well: git merges and diffs *.yaml, *.yml, Kptfile with kmerge in this repository\n";
    assert_eq!(repo.kmerge(&["setup", "--local", "--check"]).expect(0).stdout, well);
    assert_eq!(repo.read(".git/config"), config);
    for file in ["a.yaml", "charts/b.yml", "Kptfile", "pkg/Kptfile"] {
        assert_eq!(driver_of(&repo, file), "kmerge", "{file}");
    }
    assert_eq!(driver_of(&repo, "README.md"), "unspecified");
}

#[test]
fn check_changes_nothing_and_says_so_by_its_exit_code() {
    let repo = Repo::plain();
    let before = repo.read(".git/config");
    let shown = repo.kmerge(&["setup", "--check"]).expect(1).stdout;
    assert!(shown.contains("merge.kmerge.driver"), "{shown}");
    assert_eq!(repo.read(".git/config"), before);
    assert_eq!(driver_of(&repo, "a.yaml"), "unspecified");
    repo.kmerge(&["setup"]).expect(0);
    repo.kmerge(&["setup", "--undo", "--check"]).expect(1);
    assert_eq!(driver_of(&repo, "a.yaml"), "kmerge");
}

#[test]
fn setup_says_how_to_undo_it_and_check_says_what_is_in_its_way() {
    let repo = Repo::plain();
    let done = repo.kmerge(&["setup"]).expect(0).stdout;
    assert!(done.ends_with("with kmerge in this repository now; `kmerge setup --undo` takes that back\n"), "{done}");
    repo.git(&["config", "--unset", "merge.kmerge.name"]).expect(0);
    let checked = repo.kmerge(&["setup", "--check"]).expect(1).stdout;
    assert!(checked.starts_with("git config: merge.kmerge.name = "), "{checked}");
    assert!(checked.ends_with("not all is well: the above is missing; `kmerge setup` adds it\n"), "{checked}");
    repo.kmerge(&["setup", "--quiet"]).expect(0);
    let attributes = repo.read(".git/info/attributes");
    repo.write(".git/info/attributes", &format!("{attributes}*.yml merge=union\n"));
    let checked = repo.kmerge(&["setup", "--check"]).expect(1);
    let fault = "x.yml has the attribute merge=union: other lines of attributes have the last word\n";
    assert_eq!((checked.stdout.as_str(), checked.stderr.as_str()), ("not all is well\n", fault));
    repo.kmerge(&["setup", "--undo"]).expect(0);
    let repo = repo.without_kmerge(None);
    repo.kmerge(&["setup", "--check"]).expect(1);
}

#[test]
fn undo_leaves_what_was_there_before() {
    let repo = Repo::plain();
    repo.git(&["config", "merge.kmerge.custom", "mine"]).expect(0);
    repo.write(".git/info/attributes", "*.png binary");
    let config = repo.read(".git/config");
    repo.kmerge(&["setup"]).expect(0);
    let shown = repo.kmerge(&["setup", "--undo"]).expect(0).stdout;
    assert!(shown.contains("git config: merge.kmerge.driver removed\n"), "{shown}");
    assert!(shown.contains(".git/info/attributes:\n  - # kmerge"), "{shown}");
    assert_eq!(repo.read(".git/config"), config);
    assert_eq!(repo.read(".git/info/attributes"), "*.png binary");
    assert_eq!(repo.kmerge(&["setup", "--undo"]).expect(0).stdout, "nothing to do\n");
}

#[test]
fn a_value_someone_changed_is_shown_before_it_is_replaced() {
    let repo = Repo::new();
    repo.git(&["config", "merge.kmerge.driver", "mine %A"]).expect(0);
    repo.git(&["config", "--add", "merge.kmerge.driver", "mine too %A"]).expect(0);
    let shown = repo.kmerge(&["setup"]).expect(0).stdout;
    assert!(shown.contains("instead of mine too %A\n"), "{shown}");
    assert_eq!(repo.git(&["config", "--get-all", "merge.kmerge.driver"]).stdout.lines().count(), 1);
}

#[test]
fn flags_in_the_registered_command_stay() {
    let repo = Repo::new();
    let driver = || repo.git(&["config", "merge.kmerge.driver"]).stdout;
    let flags = driver().replace("kmerge driver ", "kmerge driver --list-key spec.x=id ");
    repo.git(&["config", "merge.kmerge.driver", flags.trim_end()]).expect(0);
    assert_eq!(repo.kmerge(&["setup"]).expect(0).stdout, "nothing to do\n");
    repo.kmerge(&["setup", "--check"]).expect(0);
    assert_eq!(driver(), flags);
    repo.kmerge(&["setup", "--undo"]).expect(0);
    assert_eq!(driver(), "");
}

#[test]
fn attributes_can_go_into_the_tree() {
    let repo = Repo::plain();
    std::fs::create_dir_all(repo.home().join("repo/deep/er")).expect("a directory");
    let repo = repo.at("deep/er");
    repo.kmerge(&["setup", "--gitattributes"]).expect(0);
    assert_eq!(repo.read("../../.gitattributes"), BLOCK);
    assert_eq!(driver_of(&repo, "a.yaml"), "kmerge");
    repo.kmerge(&["setup", "--undo"]).expect(0);
    assert!(!repo.exists("../../.gitattributes"), "a file that held nothing else goes");
}

#[test]
fn global_setup_uses_the_file_that_git_reads() {
    let repo = Repo::plain();
    repo.kmerge(&["setup", "--global"]).expect(0);
    assert_eq!(repo.read("../.config/git/attributes"), BLOCK);
    assert_eq!(driver_of(&repo, "a.yaml"), "kmerge");
    assert!(!repo.read(".git/config").contains("kmerge"));
    repo.kmerge(&["setup", "--global", "--undo"]).expect(0);
    assert_eq!(driver_of(&repo, "a.yaml"), "unspecified");
    assert!(!repo.read("../.gitconfig").contains("kmerge"));

    repo.git(&["config", "--global", "core.attributesFile", "~/mine"]).expect(0);
    repo.kmerge(&["setup", "--global"]).expect(0);
    assert_eq!(repo.read("../mine"), BLOCK);
    assert_eq!(driver_of(&repo, "a.yaml"), "kmerge");
}

#[test]
fn global_setup_needs_no_repository_and_local_setup_does() {
    let repo = Repo::plain().at("..");
    let refused = repo.kmerge(&["setup"]).expect(2);
    assert!(refused.stderr.contains("--global"), "{refused:?}");
    repo.kmerge(&["setup", "--global"]).expect(0);
    assert!(repo.exists(".config/git/attributes"));
}

#[test]
fn a_bare_repository_has_no_tree_for_attributes() {
    let repo = Repo::plain();
    repo.git(&["init", "--quiet", "--bare", "../bare"]).expect(0);
    let bare = repo.at_bare("../bare");
    bare.kmerge(&["setup", "--gitattributes"]).expect(2);
    bare.kmerge(&["setup"]).expect(0);
    assert_eq!(bare.read("info/attributes").matches(BLOCK).count(), 1);
    bare.kmerge(&["setup", "--undo"]).expect(0);
}

#[test]
fn setup_warns_where_git_would_not_find_the_binary() {
    let repo = Repo::plain().without_kmerge(None);
    let done = repo.kmerge(&["setup"]).expect(0);
    assert!(done.stderr.contains("kmerge is not on the PATH"), "{done:?}");
}

#[test]
fn hunks_of_diffs_name_what_they_are_in() {
    let manifest = |image: &str| {
        let lines = "  # 1\n  # 2\n  # 3\n  # 4\n";
        format!(
            "kind: Deployment\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: app\n{lines}    image: {image}\n"
        )
    };
    let repo = Repo::new();
    repo.commit("web.yaml", &manifest("app:1"));
    repo.write("web.yaml", &manifest("app:2"));
    let diff = repo.git(&["diff"]).expect(0).stdout;
    assert!(diff.contains("@@ name: app\n"), "{diff}");
}

#[test]
fn hunks_of_json_in_yaml_are_named_as_well() {
    let lines = "  \"x\": [1,\n  2,\n  3,\n  4,\n  5],\n";
    let repo = Repo::new();
    repo.commit("svc.yaml", &format!("\"kind\": \"Service\"\n{lines}\"a\": 1\n"));
    repo.write("svc.yaml", &format!("\"kind\": \"Service\"\n{lines}\"a\": 2\n"));
    let diff = repo.git(&["diff", "svc.yaml"]).expect(0).stdout;
    assert!(diff.contains("@@ \"kind\": \"Service\"\n"), "{diff}");
}

const APART: Versions<'static> = Versions { base: "a: 1\nb: 1\n", ours: "a: 2\nb: 1\n", theirs: "a: 1\nb: 2\n" };

#[test]
fn branches_from_before_the_setup_are_merged_as_well() {
    let repo = Repo::plain();
    repo.diverge("a.yaml", &APART);
    repo.kmerge(&["setup"]).expect(0);
    repo.git(&["checkout", "--quiet", "topic"]).expect(0);
    repo.git(&["merge", "-m", "both", "main"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), "a: 2\nb: 2\n");
}

#[test]
fn attributes_in_the_tree_hold_where_they_are_committed() {
    let repo = Repo::plain();
    repo.diverge("a.yaml", &APART);
    repo.kmerge(&["setup", "--gitattributes"]).expect(0);
    repo.commit(".gitattributes", &repo.read(".gitattributes"));
    repo.git(&["merge", "-m", "both", "topic"]).expect(0).expect_driver();
    repo.git(&["checkout", "--quiet", "-b", "old", "topic"]).expect(0);
    let done = repo.git(&["merge", "main~1"]).expect(1);
    assert!(!done.stderr.contains("kmerge driver"), "an old branch has no attributes: {done:?}");
}

#[test]
fn a_linked_working_tree_is_set_up_with_its_repository() {
    let repo = Repo::plain();
    repo.diverge("a.yaml", &APART);
    repo.git(&["worktree", "add", "--quiet", "../tree", "topic"]).expect(0);
    let repo = repo.at("../tree");
    repo.kmerge(&["setup"]).expect(0);
    repo.git(&["merge", "-m", "both", "main"]).expect(0).expect_driver();
    let repo = repo.at("../repo");
    assert_eq!(repo.kmerge(&["setup"]).expect(0).stdout, "nothing to do\n");
    repo.git(&["merge", "-m", "both", "topic~1"]).expect(0);
}

#[test]
fn bare_repositories_merge_trees_with_the_driver() {
    let repo = Repo::plain();
    repo.diverge("a.yaml", &APART);
    repo.git(&["clone", "--quiet", "--bare", ".", "../bare"]).expect(0);
    let repo = repo.at_bare("../bare");
    repo.git(&["merge-tree", "--write-tree", "main", "topic"]).expect(1);
    repo.kmerge(&["setup"]).expect(0);
    let tree = repo.git(&["merge-tree", "--write-tree", "main", "topic"]).expect(0).expect_driver().stdout;
    assert_eq!(repo.git(&["show", &format!("{}:a.yaml", tree.trim())]).stdout, "a: 2\nb: 2\n");
}

#[cfg(unix)]
#[test]
fn setup_does_not_write_through_links() {
    use std::os::unix::fs::symlink;

    for (link, args) in [
        (".gitattributes", &["setup", "--gitattributes"][..]),
        (".git/info/attributes", &["setup"]),
        (".git/info", &["setup"]),
        (".git/config", &["setup"]),
    ] {
        let repo = Repo::new();
        repo.write("../victim", &if link == ".git/config" { repo.read(link) } else { "mine\n".to_owned() });
        let (link, victim) = (repo.home().join("repo").join(link), repo.home().join("victim"));
        let target = if link.ends_with("info") { repo.home().to_owned() } else { victim.clone() };
        if link.is_dir() { std::fs::remove_dir_all(&link) } else { std::fs::remove_file(&link) }.ok();
        symlink(target, &link).unwrap();
        let before = repo.read("../victim");
        for more in [&[][..], &["--undo"], &["--check"]] {
            let args = if more == ["--undo"] { &["setup"] } else { args };
            let done = repo.kmerge(&[args, more].concat()).expect(2);
            assert!(done.stderr.contains("is a symbolic link"), "{done:?}");
            assert!(done.stderr.contains("--global sets git up without this file"), "{done:?}");
            assert!(!done.stderr.contains("mine"), "{done:?}");
        }
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), before);
        assert!(!repo.exists("../attributes"));
    }
}

#[test]
fn setup_stays_in_the_tree_of_the_repository() {
    let repo = Repo::plain();
    repo.git(&["config", "core.worktree", "../.."]).expect(0);
    let done = repo.kmerge(&["setup", "--gitattributes"]).expect(2);
    assert!(done.stderr.contains("is not where the repository is"), "{done:?}");
    assert!(!repo.exists("../.gitattributes"));
}

#[test]
fn the_hook_of_pre_commit_is_added_on_request() {
    const FILE: &str = ".pre-commit-config.yaml";
    let repo = Repo::plain();
    repo.kmerge(&["setup"]).expect(0);
    assert!(!repo.exists(FILE));
    let before = "repos: # ours\n- repo: https://example.com/x\n  rev: v1\n  hooks: [{id: x}]\n";
    repo.write(FILE, before);
    let shown = repo.kmerge(&["setup", "--pre-commit", "--check"]).expect(1).stdout;
    assert!(shown.contains(".pre-commit-config.yaml:\n  +   - repo: local\n"), "{shown}");
    repo.kmerge(&["setup", "--pre-commit"]).expect(0);
    let written = repo.read(FILE);
    assert!(written.starts_with("repos: # ours\n- repo: https://example.com/x\n  rev: v1\n"), "{written}");
    assert!(written.contains("  hooks:\n    - id: kmerge-check\n"), "{written}");
    assert_eq!(repo.kmerge(&["setup", "--pre-commit"]).expect(0).stdout, "nothing to do\n");

    let shown = repo.kmerge(&["setup", "--undo", "--check"]).expect(1).stdout;
    assert!(shown.contains(".pre-commit-config.yaml:\n  - - repo: local\n"), "{shown}");
    repo.kmerge(&["setup", "--undo"]).expect(0);
    assert_eq!(repo.read(FILE), before);
    assert_eq!(repo.kmerge(&["setup", "--undo"]).expect(0).stdout, "nothing to do\n");
    let others = "repos:\n- repo: local\n  hooks: [{id: kmerge-check}, {id: x}]\n";
    repo.write(FILE, others);
    let done = repo.kmerge(&["setup", "--undo"]).expect(0);
    assert!(done.stderr.contains("has a hook kmerge-check that is not as setup adds it: it stays"), "{done:?}");
    assert_eq!((done.stdout.as_str(), repo.read(FILE).as_str()), ("nothing to do\n", others));
    std::fs::remove_file(repo.home().join("repo").join(FILE)).expect("removed");
    repo.kmerge(&["setup", "--pre-commit"]).expect(0);
    repo.kmerge(&["setup", "--undo"]).expect(0);
    assert!(!repo.exists(FILE), "a file that held nothing else goes");
    repo.run("ln", &["-sf", "elsewhere", FILE], &[]).expect(0);
    assert!(repo.kmerge(&["setup", "--pre-commit"]).expect(2).stderr.contains("symbolic link"));
}
