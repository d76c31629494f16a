//! What a command writes beside its result never lands on what it reads, and its journal is beside what it changes.

use super::{Room, said};

const POD: &str = "kind: Pod\nspec: {containers: [{name: a, image: 'x:1'}]}\n";

#[test]
fn a_report_overwrites_no_input_and_no_result() {
    let room = Room::new();
    std::fs::create_dir(room.path("dir")).expect("created");
    for name in ["a.yaml", "b.yaml", "c.yaml", "dir/d.yaml"] {
        room.write(name, POD);
    }
    std::os::unix::fs::symlink("a.yaml", room.path("link.yaml")).expect("linked");
    std::fs::hard_link(room.path("a.yaml"), room.path("other.yaml")).expect("linked");
    let merge = ["merge3", "--original", "b.yaml", "--updated", "c.yaml", "--dest", "a.yaml"];
    for (args, report) in [
        (&["set", "a.yaml", ".kind", "Job", "--check"][..], "a.yaml"),
        (&["set", "a.yaml", ".kind", "Job", "-i"], "./a.yaml"),
        (&["set", "a.yaml", ".kind", "Job", "-i"], "link.yaml"),
        (&["set", "a.yaml", ".kind", "Job", "-i"], "other.yaml"),
        (&["set", "a.yaml", ".kind", "Job", "-o", "new.yaml"], "new.yaml"),
        (&["set-image", "x:2", "dir", "-i"], "dir/d.yaml"),
        (&[merge[0], merge[1], merge[2], merge[3], merge[4], merge[5], merge[6], "--diff"], "c.yaml"),
        (&["merge3", "--original", "dir", "--updated", "dir", "--dest", "dir"], "dir/d.yaml"),
    ] {
        let output = room.run(&[args, &["--report", report]].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?} {report}");
        assert!(said(&output).contains("would overwrite it: give --report another file"), "{}", said(&output));
    }
    let output = room.run(&["review", "b.yaml", "a.yaml", "c.yaml", "-o", "a.yaml"]);
    assert!(said(&output).contains("give --output another file"), "{}", said(&output));
    for name in ["a.yaml", "b.yaml", "c.yaml", "dir/d.yaml"] {
        assert_eq!(room.read(name), POD, "{name}");
    }
    assert!(!room.path("new.yaml").exists());
    let output = room.run(&["set", "a.yaml", ".kind", "Job", "-i", "--report", "dir/report.txt"]);
    assert_eq!((output.status.code(), room.read("a.yaml")), (Some(0), POD.replace("Pod", "Job")), "{}", said(&output));
}

#[test]
fn the_journal_of_files_in_two_directories_may_be_beside_them() {
    let room = Room::new();
    for name in ["one", "two"] {
        std::fs::create_dir(room.path(name)).expect("created");
        room.write(&format!("{name}/pod.yaml"), POD);
    }
    let run = |args: &[&str], state: &str| {
        let mut command = room.kmerge(args);
        command.env("HOME", room.path("")).env_remove("XDG_STATE_HOME");
        if !state.is_empty() {
            command.env("XDG_STATE_HOME", room.path(state));
        }
        command.output().expect("the binary runs")
    };
    for (image, args) in [("x:2", ["one", "two"]), ("x:3", ["one/pod.yaml", "two/pod.yaml"])] {
        let output = run(&["set-image", "-i", image, args[0], args[1]], "");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(room.read("two/pod.yaml").contains(image));
    }
    let output = run(&["set", ".kind", "Job", "-i", "--in", "one", "two"], "");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // Somebody else may have written what is named.
    for (args, state) in [(["one", "two"], "two/state"), ([".", "one"], "")] {
        let output = run(&["set-image", "-i", "x:4", args[0], args[1]], state);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(said(&output).contains("set XDG_STATE_HOME to a directory of your own"), "{}", said(&output));
    }
}
