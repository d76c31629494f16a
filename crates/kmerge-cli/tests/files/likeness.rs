//! Owner, group, mode bits, attributes and links of a file that is edited.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use crate::{Room, said};

const EDIT: [&str; 5] = ["set", "-i", "f.yaml", ".a", "1"];

/// Any user but root, and a group that it is not in.
const USER: u32 = 65534;
const GROUP: u32 = 4242;

fn room(mode: u32) -> Room {
    let room = Room::new();
    room.write("f.yaml", "a: 0\n");
    std::fs::set_permissions(room.path("f.yaml"), Permissions::from_mode(mode)).expect("it is ours");
    room
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn owner_group_and_mode_stay() {
    for mode in [0o600, 0o640, 0o444, 0o755, 0o2664] {
        let room = room(mode);
        // Only root can tell: others own what they edit.
        if is_root() {
            chown(room.path("f.yaml"), Some(USER), Some(GROUP)).expect("root may");
            std::fs::set_permissions(room.path("f.yaml"), Permissions::from_mode(mode)).expect("root may");
        }
        let before = room.path("f.yaml").metadata().expect("there");
        assert_eq!(room.run(&EDIT).status.code(), Some(0));
        let after = room.path("f.yaml").metadata().expect("there");
        assert_ne!(before.ino(), after.ino(), "it is another file");
        assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
        assert_eq!(format!("{:o}", before.mode()), format!("{:o}", after.mode()));
    }
}

#[test]
fn a_group_that_cannot_be_kept_does_not_open_the_file_to_another() {
    if !is_root() {
        return;
    }
    for (mode, wanted) in [(0o640, 0o600), (0o664, 0o644), (0o660, 0o600)] {
        let room = room(mode);
        std::fs::set_permissions(room.0.path(), Permissions::from_mode(0o777)).expect("it is ours");
        chown(room.path("f.yaml"), Some(USER), Some(GROUP)).expect("root may");
        // The binary may lie where only root can look. It is large, so it is copied only where it cannot be linked.
        let binary = room.path("kmerge");
        let built = env!("CARGO_BIN_EXE_kmerge");
        std::fs::hard_link(built, &binary).or_else(|_| std::fs::copy(built, &binary).map(drop)).expect("there is room");
        let mut command = Command::new(&binary);
        let output = command.args(EDIT).current_dir(room.0.path()).uid(USER).gid(USER).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let after = room.path("f.yaml").metadata().expect("there");
        assert_eq!((after.uid(), after.gid()), (USER, USER));
        assert_eq!(format!("{:o}", after.mode() & 0o7777), format!("{wanted:o}"), "of {mode:o}");
    }
}

#[test]
fn attributes_stay_where_the_file_system_has_them() {
    let room = room(0o644);
    if xattr::set(room.path("f.yaml"), "user.origin", b"here").is_err() {
        return;
    }
    assert_eq!(room.run(&EDIT).status.code(), Some(0));
    assert_eq!(xattr::get(room.path("f.yaml"), "user.origin").expect("readable").as_deref(), Some(b"here".as_slice()));
}

#[test]
fn an_access_control_list_stays() {
    let room = room(0o600);
    // Version 2, and entries of tag, rights and id: the owner rw, a user r, the group nothing, mask r, others nothing.
    let entries = [(1, 6, u32::MAX), (2, 4, USER), (4, 0, u32::MAX), (16, 4, u32::MAX), (32, 0, u32::MAX)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        list.extend([u16::to_le_bytes(tag), u16::to_le_bytes(rights)].concat());
        list.extend(id.to_le_bytes());
    }
    if xattr::set(room.path("f.yaml"), "system.posix_acl_access", &list).is_err() {
        return;
    }
    assert_eq!(room.run(&EDIT).status.code(), Some(0));
    assert_eq!(xattr::get(room.path("f.yaml"), "system.posix_acl_access").expect("readable"), Some(list));
}

#[test]
fn links_stay_links_and_another_name_keeps_the_old_content() {
    let room = room(0o644);
    std::fs::create_dir(room.path("d")).expect("created");
    symlink("../f.yaml", room.path("d/link.yaml")).expect("created");
    std::fs::hard_link(room.path("f.yaml"), room.path("other.yaml")).expect("created");
    let output = room.run(&["set", "-i", "d/link.yaml", ".a", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("hard link"), "{}", said(&output));
    assert!(room.path("d/link.yaml").is_symlink());
    assert_eq!((room.read("f.yaml"), room.read("other.yaml")), ("a: 1\n".to_owned(), "a: 0\n".to_owned()));
    assert_eq!(said(&room.run(&["set", "-i", "d/link.yaml", ".a", "2"])), "");
}

#[test]
fn what_is_no_file_is_refused() {
    let room = Room::new();
    rustix::fs::mknodat(rustix::fs::CWD, room.path("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("made");
    for path in ["pipe", ".", "missing", "no/where.yaml"] {
        let output = room.run(&["set", "-i", path, ".a", "1"]);
        assert_eq!(output.status.code(), Some(2), "{path}");
        assert!(said(&output).contains(path), "{}", said(&output));
    }
}
