//! Where setup holds: old branches, linked working trees, bare repositories, directories below the top.

use crate::repo::{Repo, Versions};

const APART: Versions<'static> =
    Versions { base: "a: 1\n#\nb: 1\n", ours: "a: 2\n#\nb: 1\n", theirs: "a: 1\n#\nb: 2\n" };
const MERGED: &str = "a: 2\n#\nb: 2\n";

#[test]
fn branches_from_before_the_setup_are_merged_too() {
    let repo = Repo::plain();
    repo.diverge("a.yaml", &APART);
    repo.kmerge(&["setup"]).expect(0);
    repo.git(&["merge", "topic"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), MERGED);
}

#[test]
fn committed_attributes_hold_on_branches_that_have_them() {
    let repo = Repo::plain();
    repo.kmerge(&["setup", "--gitattributes"]).expect(0);
    repo.commit(".gitattributes", &repo.read(".gitattributes"));
    repo.diverge("a.yaml", &APART);
    repo.git(&["merge", "topic"]).expect(0).expect_driver();
    assert_eq!(repo.read("a.yaml"), MERGED);
}

#[test]
fn a_linked_working_tree_merges_alike() {
    let repo = Repo::diverged("a.yaml", &APART);
    repo.git(&["worktree", "add", "--quiet", "-b", "side", "../side", "main"]).expect(0);
    let side = repo.at("../side");
    assert_eq!(side.kmerge(&["setup"]).expect(0).stdout, "nothing to do\n");
    side.git(&["merge", "topic"]).expect(0).expect_driver();
    assert_eq!(side.read("a.yaml"), MERGED);
}

#[test]
fn a_merge_from_below_the_top_finds_its_files() {
    let repo = Repo::diverged("a.yaml", &APART);
    std::fs::create_dir(repo.home().join("repo/below")).expect("a directory");
    let below = repo.at("below");
    below.git(&["merge", "topic"]).expect(0).expect_driver();
    assert_eq!(below.read("../a.yaml"), MERGED);
}

#[test]
fn a_bare_repository_merges_trees() {
    let repo = Repo::diverged("a.yaml", &APART);
    repo.git(&["clone", "--quiet", "--bare", ".", "../bare"]).expect(0);
    let bare = repo.at_bare("../bare");
    bare.kmerge(&["setup"]).expect(0);
    let tree = bare.git(&["merge-tree", "--write-tree", "main", "topic"]).expect(0).expect_driver().stdout;
    let merged = bare.git(&["show", &format!("{}:a.yaml", tree.trim())]).expect(0).stdout;
    assert_eq!(merged, MERGED);
}

#[test]
fn a_bare_repository_that_git_cannot_read_is_told() {
    let repo = Repo::plain();
    repo.git(&["init", "--quiet", "--bare", "--initial-branch=main", "../bare"]).expect(0);
    let bare = repo.at_bare("../bare");
    let drive = || {
        bare.write("b", "a: 1\n#\n#\n");
        bare.write("o", "a: 2\n#\n#\n");
        bare.write("t", "a: 1\n#\n#\nb: 2\n");
        bare.kmerge(&["driver", "b", "o", "t"]).expect(0).stderr
    };
    assert_eq!(drive(), "", "without a commit there are no rules");
    bare.write("config", "[");
    assert!(drive().contains("merged without the rules of the configuration file and of flags: git: bad config"));
}

#[test]
fn a_bare_repository_has_the_rules_of_its_head() {
    let merge = |rules: Option<&str>| {
        let gears = Versions {
            base: "gears:\n- {id: 1, v: 1}\n- {id: 2, v: 1}\n",
            ours: "gears:\n- {id: 2, v: 5}\n- {id: 1, v: 1}\n",
            theirs: "gears:\n- {id: 1, v: 1}\n- {id: 2, v: 1, w: 1}\n",
        };
        let repo = Repo::diverged("a.yaml", &gears);
        if let Some(rules) = rules {
            repo.commit("kmerge.yaml", rules);
        }
        repo.git(&["clone", "--quiet", "--bare", ".", "../bare"]).expect(0);
        repo.at_bare("../bare").kmerge(&["ci", "--base", "main", "--head", "topic"])
    };
    assert_eq!(merge(None).code, Some(1));
    assert_eq!(merge(Some("lists:\n- {path: .gears, keys: [id]}\n")).code, Some(0));
    let broken = merge(Some("lists: 1\n"));
    assert!(broken.code == Some(1) && broken.stderr.contains("HEAD:kmerge.yaml:1"), "{broken:?}");
}
