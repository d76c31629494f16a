//! What a transaction does not begin, and journals that it does not follow.

use super::*;

#[test]
fn a_merge_needs_a_place_of_its_own_for_the_journal() {
    use std::os::unix::fs::PermissionsExt as _;
    let room = tree();
    let inside = Store::at(room.path().join("state/kmerge"));
    let error = commit(&inside, &room.root(), &changes()).unwrap_err().to_string();
    assert!(error.contains("set XDG_STATE_HOME to a directory of your own"), "{error}");
    let open = room.state.path().join("kmerge");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let error = room.commit(&changes()).unwrap_err().to_string();
    assert!(error.contains("is open to other users"), "{error}");
    std::fs::remove_dir_all(room.path().join("state")).unwrap();
    assert_eq!(content(room.path()), old_content());
}

#[test]
fn what_is_git_s_own_is_not_written_in_any_spelling() {
    let room = tree();
    for path in
        [".git/config", "a/.GIT/hooks/pre-commit", "git~1/x", ".git /x", "../x", "/x", "a/./b", ".g\u{200c}it/x"]
    {
        let change = Change { path: path.into(), old: None, new: Some(file("x\n")) };
        for error in [room.commit(std::slice::from_ref(&change)), check(&room.root(), &[change])] {
            assert!(error.unwrap_err().to_string().starts_with("cannot write "), "{path}");
        }
    }
    assert_whole(&room, &old_content(), "refused paths");
}

/// A journal that is not ours to follow: whatever it says, nothing outside of the tree changes.
#[test]
fn a_journal_leads_nowhere_but_inside() {
    let staging = format!(".kmerge-{}", "0".repeat(32));
    for (path, staging) in [
        ("../victim/hook", staging.as_str()),
        ("/tmp/hook", &staging),
        ("a/../../hook", &staging),
        (".git/hooks/pre-commit", &staging),
        ("a", "../victim"),
        ("a", "old"),
        ("a", ".kmerge-"),
        (&format!("{staging}/new/0"), &staging),
    ] {
        let room = tree();
        let lock = Lock::take(&room.store(), &room.root()).map(|lock| lock.room.own.shown().to_owned()).unwrap();
        let step = serde_json::json!({"path": path, "old": null, "new": 1});
        let journal = serde_json::json!({
            "version": 2, "tree": "", "staging": staging, "steps": [step], "directories": [],
        });
        std::fs::write(lock.join("apply"), journal.to_string()).unwrap();
        for error in [resume(&room.store(), &room.root()), undo(&room.store(), &room.root())] {
            let error = format!("{:#}", error.unwrap_err());
            assert!(error.contains("is not a valid journal"), "{path}: {error}");
        }
        assert_eq!(content(room.path()), old_content());
    }
}
