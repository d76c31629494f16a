//! `last-applied edit`: what others write while the editor is open, and what the user has written, stays.

use std::process::Output;

use crate::{Room, names, said};

/// An object that was applied with three replicas.
pub(crate) const LIVE: &str = r#"kind: Deployment
apiVersion: apps/v1
metadata:
  name: web # the front end
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"minReadySeconds":5,"replicas":3}}
spec:
  replicas: 7
"#;

/// Edits `f.yaml` with a script as the editor, which gets the draft as `$1`.
fn edit(room: &Room, drafts: &Room, script: &str) -> Output {
    room.write("editor.sh", script);
    let mut command = room.kmerge(&["last-applied", "edit", "-i", "f.yaml"]);
    command.env("TMPDIR", drafts.0.path()).env("EDITOR", "sh editor.sh");
    command.env_remove("KUBE_EDITOR").env_remove("VISUAL").output().expect("it runs")
}

/// The draft that was kept, of which the message says where it is.
fn kept(drafts: &Room, output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", said(output));
    let [name] = <[String; 1]>::try_from(names(drafts.0.path())).expect("one draft");
    let path = drafts.path(&name).display().to_string();
    assert!(said(output).contains(&path), "{}", said(output));
    drafts.read(&name)
}

#[test]
fn what_was_written_meanwhile_stays() {
    let (room, drafts) = (Room::new(), Room::new());
    room.write("f.yaml", LIVE);
    let script =
        "sed -i 's/replicas: 3/replicas: 4/' \"$1\"; sed -i 's/front/back/; s/Seconds\":5/Seconds\":9/' f.yaml";
    let output = edit(&room, &drafts, script);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let wanted = LIVE.replace("front", "back").replace("Seconds\":5,\"replicas\":3", "Seconds\":9,\"replicas\":4");
    assert_eq!(room.read("f.yaml"), wanted);
    assert_eq!(names(drafts.0.path()), [""; 0]);
}

#[test]
fn where_both_changed_the_same_the_draft_is_kept() {
    let (room, drafts) = (Room::new(), Room::new());
    room.write("f.yaml", LIVE);
    let script = "sed -i 's/replicas: 3/replicas: 4/' \"$1\"; sed -i 's/replicas\":3/replicas\":9/' f.yaml";
    let output = edit(&room, &drafts, script);
    assert!(kept(&drafts, &output).contains("replicas: 4"));
    assert!(said(&output).contains(".spec.replicas"), "{}", said(&output));
    assert_eq!(room.read("f.yaml"), LIVE.replace("replicas\":3", "replicas\":9"));
}

#[test]
fn where_the_file_cannot_take_it_the_draft_is_kept() {
    for script in ["rm f.yaml", "echo 'a: [' > f.yaml", "sed -i /kubectl/,+1d f.yaml"] {
        let (room, drafts) = (Room::new(), Room::new());
        room.write("f.yaml", LIVE);
        let output = edit(&room, &drafts, &format!("sed -i 's/replicas: 3/replicas: 4/' \"$1\"; {script}"));
        assert!(kept(&drafts, &output).contains("replicas: 4"), "{script}");
    }
}

#[test]
fn a_draft_that_is_not_valid_is_kept() {
    let (room, drafts) = (Room::new(), Room::new());
    room.write("f.yaml", LIVE);
    // The second time, the editor leaves it as it is.
    let output = edit(&room, &drafts, "sed -i 's/^spec:/spec/' \"$1\"");
    assert!(kept(&drafts, &output).contains("\nspec\n"));
    assert_eq!(room.read("f.yaml"), LIVE);
}

#[test]
fn nothing_is_kept_of_a_draft_without_changes() {
    let (room, drafts) = (Room::new(), Room::new());
    room.write("f.yaml", LIVE);
    for (script, code) in [("exit 0", 0), ("exit 1", 2), ("echo '# a remark' >> \"$1\"", 0)] {
        assert_eq!(edit(&room, &drafts, script).status.code(), Some(code), "{script}");
        assert_eq!(names(drafts.0.path()), [""; 0]);
    }
    assert_eq!(room.read("f.yaml"), LIVE);
}
