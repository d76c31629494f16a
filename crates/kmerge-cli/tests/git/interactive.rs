//! `kmerge resolve --interactive` on a terminal, which is `tmux`.
//!
//! Without `tmux` nothing is tested here but what needs no terminal, and each test says so.

use std::io::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;

use crate::repo::{Repo, Versions};

const VERSIONS: Versions<'static> = Versions {
    base: "kind: A\nreplicas: 1\npaused: false\nspec:\n  image: app:1\nend: 1\n",
    ours: "kind: A\nreplicas: 2\npaused: false\nspec:\n  image: app:2\nend: 1\n",
    theirs: "kind: A\nreplicas: 3\npaused: true\nspec:\n  image: app:3\nend: 1\n",
};

fn conflicted(versions: &Versions<'_>) -> Repo {
    let repo = Repo::plain();
    repo.diverge("web.yaml", versions);
    repo.git(&["merge", "topic"]).expect(1);
    repo
}

/// A repository, and a terminal in it.
struct Terminal {
    repo: Repo,
    socket: String,
}

impl Terminal {
    /// Starts kmerge; `None` where there is no `tmux`.
    fn start(repo: Repo, editor: &str) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            let said = writeln!(std::io::stderr(), "the terminal was NOT tested: no tmux; `apt-get install tmux`");
            said.expect("stderr is open");
            return None;
        }
        repo.write("editor.sh", editor);
        let script = "echo before\nsh -c 'echo $$ > pid; exec kmerge resolve --interactive web.yaml'\necho \"code=$?\"\n\
                      stty -a | tr ' ' '\\n' | grep -xE -- '-?(icanon|echo)' | tr '\\n' ' '\nexec cat\n";
        repo.write("session.sh", script);
        let socket = repo.home().join("tmux").to_str().expect("UTF-8").to_owned();
        let terminal = Self { repo, socket };
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "sh session.sh"]);
        Some(terminal)
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let environment = [("LC_ALL", "C.UTF-8"), ("TERM", "xterm-256color"), ("GIT_EDITOR", "sh editor.sh")];
        self.repo.run("tmux", &[&["-u", "-S", &self.socket], arguments].concat(), &environment).expect(0).stdout
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// Presses keys, one after the other.
    fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    fn wait_for(&self, text: &str) -> String {
        const PATIENCE: Duration = Duration::from_secs(30);
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if screen.contains(text) {
                return screen;
            }
            assert!(start.elapsed() < PATIENCE, "the screen does not show {text:?}:\n{screen}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Waits for the end, after which the terminal has to be as it was.
    #[track_caller]
    fn wait_for_end(&self, code: i32) -> String {
        self.wait_for(&format!("code={code}"));
        let screen = self.wait_for("icanon");
        assert!(screen.contains("before"), "the screen is not as it was:\n{screen}");
        assert!(!screen.contains("-icanon") && !screen.contains("-echo"), "the keyboard is not as it was:\n{screen}");
        assert_eq!(self.tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]).trim(), "0 1");
        screen
    }

    fn text(&self) -> String {
        self.repo.read("web.yaml")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = Command::new("tmux").args(["-S", &self.socket, "kill-server"]).output();
    }
}

#[test]
fn keys_choose_and_write() {
    let Some(terminal) = Terminal::start(conflicted(&VERSIONS), "") else { return };
    for part in ["2 conflicts left", "web.yaml", "replicas: 2", "1 ours: HEAD", "3 base", "2 theirs: topic", "base 1"] {
        terminal.wait_for(part);
    }
    terminal.press(&["2", "n"]);
    terminal.wait_for("1 conflict left");
    terminal.wait_for("app:2");
    terminal.wait_for("app:3");
    terminal.press(&["1"]);
    terminal.wait_for("0 conflicts left");
    terminal.press(&["w"]);
    let screen = terminal.wait_for_end(0);
    assert!(screen.contains("web.yaml: 2 conflicts resolved; `git add` says so to git"), "{screen}");
    assert_eq!(terminal.text(), "kind: A\nreplicas: 3\npaused: true\nspec:\n  image: app:2\nend: 1\n");
}

#[test]
fn comments_that_are_gone_are_told() {
    let rest = "o: 1\np: 1\nq: 1\nr: 1\ns: 1\n";
    let versions = Versions {
        base: &format!("map:\n  a: 1\n{rest}x: 1\n"),
        ours: &format!("map:\n  # turn on in production\n  a: 1\n{rest}x: 2\n"),
        theirs: &format!("{rest}x: 3\n"),
    };
    let Some(terminal) = Terminal::start(conflicted(&versions), "") else { return };
    terminal.wait_for("1 conflict left");
    terminal.press(&["2", "w"]);
    let screen = terminal.wait_for_end(0);
    assert!(screen.contains("web.yaml: a comment of ours is gone with what the other side removed"), "{screen}");
    assert_eq!(terminal.text(), format!("{rest}x: 3\n"));
}

#[test]
fn quitting_writes_nothing() {
    let Some(terminal) = Terminal::start(conflicted(&VERSIONS), "") else { return };
    let before = terminal.text();
    terminal.wait_for("2 conflicts left");
    terminal.press(&["1", "q"]);
    terminal.wait_for("would be lost");
    terminal.press(&["q"]);
    let screen = terminal.wait_for_end(1);
    assert!(screen.contains("web.yaml: not written"), "{screen}");
    assert_eq!(terminal.text(), before);
}

#[test]
fn a_window_may_become_too_small_and_large_again() {
    let Some(terminal) = Terminal::start(conflicted(&VERSIONS), "") else { return };
    terminal.wait_for("2 conflicts left");
    terminal.tmux(&["resize-window", "-x", "30", "-y", "8"]);
    terminal.wait_for("kmerge needs 40");
    terminal.tmux(&["resize-window", "-x", "130", "-y", "40"]);
    terminal.wait_for("2 conflicts left");
    terminal.press(&["C-c"]);
    terminal.wait_for_end(1);
}

#[test]
fn a_signal_gives_the_terminal_back() {
    /// What a shell says of a program that SIGTERM ended.
    const TERMINATED: i32 = 128 + 15;
    let Some(terminal) = Terminal::start(conflicted(&VERSIONS), "") else { return };
    let before = terminal.text();
    terminal.wait_for("2 conflicts left");
    terminal.press(&["1"]);
    terminal.wait_for("1 conflict left");
    terminal.repo.run("sh", &["-c", "kill -TERM $(cat pid)"], &[]).expect(0);
    terminal.wait_for_end(TERMINATED);
    assert_eq!(terminal.text(), before);
}

#[test]
fn without_its_terminal_it_ends() {
    let Some(terminal) = Terminal::start(conflicted(&VERSIONS), "") else { return };
    terminal.wait_for("2 conflicts left");
    terminal.tmux(&["kill-server"]);
    // The process is gone, or about to go.
    let is_there = "for _ in $(seq 100); do kill -0 $(cat pid) 2>/dev/null || exit 0; sleep 0.1; done; exit 1";
    terminal.repo.run("sh", &["-c", is_there], &[]).expect(0);
}

#[test]
fn an_editor_has_the_terminal_for_itself() {
    let editor = "cat \"$1\"; printf 'type here: '; read word; printf 'replicas: %s\\n' \"$word\" > \"$1\"\n";
    let Some(terminal) = Terminal::start(conflicted(&VERSIONS), editor) else { return };
    terminal.wait_for("2 conflicts left");
    terminal.press(&["e"]);
    let screen = terminal.wait_for("type here:");
    assert!(screen.contains("<<<<<<< HEAD"), "{screen}");
    terminal.press(&["4", "2", "Enter"]);
    terminal.wait_for("1 conflict left");
    terminal.press(&["n", "3", "w"]);
    terminal.wait_for_end(0);
    assert_eq!(terminal.text(), "kind: A\nreplicas: 42\npaused: true\nspec:\n  image: app:1\nend: 1\n");
}

#[test]
fn control_characters_are_shown() {
    let versions =
        Versions { ours: "a: \"\u{1b}[31m\u{1b}]0;title\u{7}\u{202e}2\"\n", base: "a: 1\n", theirs: "a: 3\n" };
    let Some(terminal) = Terminal::start(conflicted(&versions), "") else { return };
    terminal.wait_for("␛[31m␛]0;title␇�2");
    assert_ne!(terminal.tmux(&["display-message", "-p", "#{pane_title}"]).trim(), "title");
    terminal.press(&["q"]);
    terminal.wait_for_end(1);
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let repo = conflicted(&VERSIONS);
    let before = repo.read("web.yaml");
    let done = repo.kmerge(&["resolve", "--interactive"]).expect(2);
    assert_eq!(done.stderr, "error: --interactive needs a terminal: stdin and stdout have to be one\n");
    assert_eq!(repo.read("web.yaml"), before);
}
