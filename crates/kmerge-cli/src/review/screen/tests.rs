//! Keys are pressed and what is drawn is read, without a terminal.

use kmerge_core::{Schema, Slots};
use pretty_assertions::assert_eq;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::draw;
use super::state::{Ended, Next, Screen};
use crate::review::{Merge, Written};

const RESULT: &str = "apiVersion: v1\nkind: A\nspec:\n<<<<<<< HEAD\n  replicas: 3\n||||||| base\n  replicas: 2\n=======\n  \
                      replicas: 5\n>>>>>>> topic\n  paused: true\n<<<<<<< HEAD\n  a: \u{1b}[31m1\u{202e}\n=======\n  a: 2\n>>>>>>> topic\n";

/// What a test works on.
struct Desk {
    room: tempfile::TempDir,
    merges: Vec<Merge>,
    files: Vec<Written>,
    schema: Schema,
}

impl Desk {
    fn new(result: &str) -> Self {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("d.yaml");
        std::fs::write(&path, result).unwrap();
        let side = |of: fn(&kmerge_core::markers::Hunk) -> std::ops::Range<usize>| {
            let found = kmerge_core::markers::hunks(result.as_bytes());
            let text = kmerge_core::markers::chosen(result.as_bytes(), &found, |hunk| Some(of(hunk)));
            Some(String::from_utf8(text).unwrap())
        };
        let sides =
            Slots { dest: side(|hunk| hunk.ours.clone()), base: None, incoming: side(|hunk| hunk.theirs.clone()) };
        let merge = Merge { path: "d.yaml".to_owned(), sides, result: result.to_owned(), ..Merge::default() };
        let files = vec![Written { path, before: result.as_bytes().to_vec() }];
        Self { room, merges: vec![merge], files, schema: Schema::new() }
    }

    fn screen(&mut self) -> Screen<'_> {
        Screen::new(&self.merges, &mut self.files, &self.schema)
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.room.path().join("d.yaml")).unwrap()
    }
}

fn press(screen: &mut Screen<'_>, keys: &str) -> Next {
    keys.chars().map(|key| screen.press(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE))).last().expect("keys")
}

fn drawn(screen: &Screen<'_>, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw::draw(screen, frame)).unwrap();
    let cells: Vec<&str> = terminal.backend().buffer().content().iter().map(ratatui::buffer::Cell::symbol).collect();
    let lines = cells.chunks(usize::from(width)).map(|line| line.concat().trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn choices_are_written() {
    let mut desk = Desk::new(RESULT);
    let mut screen = desk.screen();
    assert_eq!(screen.left(), 2);
    assert_eq!(press(&mut screen, "2n1"), Next::Stay);
    assert_eq!(screen.left(), 0);
    assert_eq!(press(&mut screen, "w"), Next::End(Ended::Written));
    let expected = "apiVersion: v1\nkind: A\nspec:\n  replicas: 5\n  paused: true\n  a: \u{1b}[31m1\u{202e}\n";
    assert_eq!(desk.text(), expected);
}

#[test]
fn what_is_left_keeps_its_markers_and_choices_are_taken_back() {
    let mut desk = Desk::new(RESULT);
    let mut screen = desk.screen();
    press(&mut screen, "1u3jj3");
    assert!(screen.says[0].contains("base is not known"), "{:?}", screen.says);
    assert_eq!(screen.left(), 1);
    assert_eq!(press(&mut screen, "w"), Next::End(Ended::Written));
    let expected =
        format!("apiVersion: v1\nkind: A\nspec:\n  replicas: 2\n{}", &RESULT[RESULT.find("  paused").unwrap()..]);
    assert_eq!(desk.text(), expected);
}

#[test]
fn quitting_asks_once_where_choices_would_be_lost() {
    let mut desk = Desk::new(RESULT);
    let mut screen = desk.screen();
    assert_eq!(press(&mut screen, "q"), Next::End(Ended::Quit));
    assert_eq!(press(&mut screen, "1q"), Next::Stay);
    assert_eq!(press(&mut screen, "jq"), Next::Stay, "another key comes between");
    assert_eq!(press(&mut screen, "q"), Next::End(Ended::Quit));
    assert_eq!(desk.text(), RESULT);
}

#[test]
fn a_choice_that_breaks_the_file_is_written_only_on_demand() {
    let mut desk = Desk::new("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> topic\nb: 1\n");
    let mut screen = desk.screen();
    screen.edited(Ok("b: 2".to_owned()));
    assert!(screen.says[0].contains("with this choice"), "{:?}", screen.says);
    assert_eq!(press(&mut screen, "w"), Next::Stay);
    assert!(screen.says[0].contains("d.yaml is not written"), "{:?}", screen.says);
    assert_eq!(press(&mut screen, "W"), Next::End(Ended::Written));
    assert_eq!(desk.text(), "b: 2\nb: 1\n");
}

#[test]
fn markers_do_not_come_back_from_the_editor() {
    let mut desk = Desk::new(RESULT);
    let mut screen = desk.screen();
    assert_eq!(press(&mut screen, "e"), Next::Edit);
    let draft = screen.draft();
    assert!(draft.starts_with("<<<<<<< HEAD\n") && draft.ends_with(">>>>>>> topic\n"), "{draft}");
    screen.edited(Ok(draft.clone()));
    assert_eq!((screen.left(), screen.says[0].as_str()), (2, "nothing was changed"));
    let half = draft.replace("replicas: 3", "replicas: 4");
    screen.edited(Ok(half.clone()));
    assert_eq!((screen.left(), screen.draft()), (2, half));
    screen.edited(Ok("  replicas: 4".to_owned()));
    assert_eq!((screen.left(), screen.draft()), (1, "  replicas: 4\n".to_owned()));
}

#[test]
fn a_file_that_changed_meanwhile_is_not_written() {
    let mut desk = Desk::new(RESULT);
    let path = desk.room.path().join("d.yaml");
    let mut screen = desk.screen();
    press(&mut screen, "1");
    std::fs::write(&path, "other: 1\n").unwrap();
    assert_eq!(press(&mut screen, "w"), Next::Stay);
    assert!(screen.says[0].contains("has changed since"), "{:?}", screen.says);
    assert_eq!(desk.text(), "other: 1\n");
}

#[test]
fn the_screen_shows_the_conflict_and_no_control_characters() {
    let mut desk = Desk::new(RESULT);
    let mut screen = desk.screen();
    press(&mut screen, "n");
    let shown = drawn(&screen, 80, 24);
    for part in ["2 conflicts left", "d.yaml", "1 ours: HEAD", "2 theirs: topic", "a: ␛[31m1�", "a: 2", "paused: true"]
    {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
    press(&mut screen, "k");
    assert!(drawn(&screen, 120, 24).contains("3 base: base"));
    press(&mut screen, "?");
    assert!(drawn(&screen, 80, 24).contains("choose our side, their side, the base"));
}

#[test]
fn every_size_can_be_drawn() {
    let long = format!("a: {}\n", "日本語 x ".repeat(60));
    let mut desk = Desk::new(&format!("<<<<<<< HEAD\n{}=======\n{long}>>>>>>> topic\n", "a: 1\n".repeat(50)));
    let mut screen = desk.screen();
    screen.says = vec!["日本語 and words ".repeat(30); 20];
    for (width, height) in (1..150).step_by(7).flat_map(|width| (1..40).step_by(5).map(move |height| (width, height))) {
        drawn(&screen, width, height);
    }
    assert!(drawn(&screen, 39, 30).contains("kmerge needs 40 columns"));
    screen.says.clear();
    let (first, later) = (drawn(&screen, 80, 24), {
        press(&mut screen, "  ");
        drawn(&screen, 80, 24)
    });
    assert!(first.contains("more: Space") && first != later);
}

#[test]
fn a_secret_is_hidden() {
    let secret = |value: &str| format!("kind: Secret\nstringData:\n  a: {value}\n");
    let mut desk =
        Desk::new("kind: Secret\nstringData:\n<<<<<<< HEAD\n  a: geheim1\n=======\n  a: geheim2\n>>>>>>> topic\n");
    assert_eq!(desk.merges[0].sides.dest, Some(secret("geheim1")));
    let mut screen = desk.screen();
    assert_eq!(press(&mut screen, "e"), Next::Stay);
    let shown = drawn(&screen, 120, 30);
    assert!(shown.contains("holds a Secret") && !shown.contains("geheim"), "{shown}");
    press(&mut screen, "2w");
    assert_eq!(desk.text(), secret("geheim2"));
}
