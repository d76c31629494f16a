use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use super::*;

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_new_file_gets_the_usual_mode_bits() {
    let room = tempfile::tempdir().unwrap();
    let (ours, usual) = (room.path().join("ours"), room.path().join("usual"));
    assert_eq!(write(&ours, b"a").unwrap(), Written::Changed);
    std::fs::write(&usual, b"a").unwrap();
    assert_eq!(ours.metadata().unwrap().mode(), usual.metadata().unwrap().mode());
    assert_eq!(names(room.path()), ["ours", "usual"]);
}

#[test]
fn mode_bits_and_symbolic_links_stay() {
    let room = tempfile::tempdir().unwrap();
    let (file, link, second) = (room.path().join("file"), room.path().join("link"), room.path().join("second"));
    std::fs::write(&file, b"old").unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o750)).unwrap();
    symlink("file", &link).unwrap();
    symlink(&link, &second).unwrap();
    assert_eq!(write(&second, b"new").unwrap(), Written::Changed);
    assert!(link.is_symlink() && second.is_symlink());
    assert_eq!(std::fs::read(&file).unwrap(), b"new");
    assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o750);
}

#[test]
fn an_equal_content_is_not_written() {
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("file");
    std::fs::write(&file, b"same").unwrap();
    let before = file.metadata().unwrap().ino();
    assert_eq!(write(&file, b"same").unwrap(), Written::Same);
    assert_eq!(file.metadata().unwrap().ino(), before);
}

#[test]
fn a_link_to_nothing_yet_gets_its_file_and_a_loop_is_an_error() {
    let room = tempfile::tempdir().unwrap();
    let (link, ring) = (room.path().join("link"), room.path().join("ring"));
    symlink("missing", &link).unwrap();
    symlink("ring", &ring).unwrap();
    write(&link, b"x").unwrap();
    assert_eq!(std::fs::read(room.path().join("missing")).unwrap(), b"x");
    assert!(write(&ring, b"x").is_err());
    assert!(write(&room.path().join("no/such/directory"), b"x").is_err());
}

#[test]
fn devices_are_written_to() {
    assert_eq!(write(Path::new("/dev/null"), b"x").unwrap(), Written::Changed);
}

/// Adds a line to a file as a program does that knows nothing of locks.
fn append(path: &Path, line: &str) {
    File::options().append(true).open(path).unwrap().write_all(line.as_bytes()).unwrap();
}

#[test]
fn an_edit_is_made_again_where_somebody_else_wrote_meanwhile() {
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("file");
    std::fs::write(&file, b"old\n").unwrap();
    let mut asked = 0;
    let written = edit(&file, |text| {
        asked += 1;
        match asked {
            1 => append(&file, "appended\n"),
            2 => {
                std::fs::remove_file(&file).unwrap();
                std::fs::write(&file, b"another\n").unwrap();
            }
            // As long as the one before.
            3 => std::fs::write(&file, b"A_other\n").unwrap(),
            _ => {}
        }
        Ok([text, b"edited\n"].concat())
    });
    assert_eq!((written.unwrap(), asked), (Written::Changed, 4));
    assert_eq!(std::fs::read(&file).unwrap(), b"A_other\nedited\n");
    assert_eq!(names(room.path()), ["file"]);
}

#[test]
fn an_edit_gives_up_where_somebody_writes_all_the_time() {
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("file");
    std::fs::write(&file, b"").unwrap();
    let mut asked = 0;
    let error = edit(&file, |text| {
        asked += 1;
        append(&file, "line\n");
        Ok([text, b"edited\n"].concat())
    });
    assert!(error.unwrap_err().to_string().contains("all the time"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "line\n".repeat(asked));
    assert_eq!(names(room.path()), ["file"]);
}

#[test]
fn a_name_that_becomes_a_link_is_not_followed() {
    let room = tempfile::tempdir().unwrap();
    let (file, victim) = (room.path().join("file"), room.path().join("victim"));
    std::fs::write(&victim, b"theirs").unwrap();
    std::fs::write(&file, b"old").unwrap();
    let swap = || {
        std::fs::remove_file(&file).unwrap();
        symlink("victim", &file).unwrap();
    };
    let asked = edit(&file, |_| {
        swap();
        Ok(b"new".to_vec())
    });
    assert!(asked.is_err());
    let spot = Spot::find(&victim).unwrap();
    std::fs::remove_file(&file).unwrap();
    std::fs::rename(&victim, &file).unwrap();
    symlink("file", &victim).unwrap();
    assert!(spot.open().is_err());
    // What is put there replaces the link.
    spot.stage(b"mine", None, Durability::Memory).unwrap().put().unwrap();
    assert_eq!((std::fs::read(&file).unwrap(), victim.is_symlink()), (b"theirs".to_vec(), false));
}

#[test]
fn what_waits_for_its_name_is_no_more_open_than_what_it_replaces() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("file");
    std::fs::write(&path, b"old").unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    let spot = Spot::find(&path).unwrap();
    let old = spot.open().unwrap();
    let staged = spot.stage(b"new", Some(&old), Durability::Memory).unwrap();
    let name = names(room.path()).into_iter().find(|name| name != "file").unwrap();
    assert_eq!(room.path().join(&name).metadata().unwrap().mode() & 0o7777, 0o640);
    drop(staged);
    assert_eq!(names(room.path()), ["file"]);
    let directory = crate::tree::Dir::open(room.path()).unwrap();
    let (temporary, file) = crate::temporary::Temporary::private(&directory, "x", "").unwrap();
    assert_eq!(file.metadata().unwrap().mode() & 0o7777, 0o600);
    drop(temporary);
}
