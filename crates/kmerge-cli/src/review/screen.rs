//! Conflicts on a terminal, one by one.
//!
//! Owns: the terminal while conflicts are shown on it. Invariant: the terminal is as it was when this ends, also after a panic or a
//! signal. What is shown comes from the same rows, decisions and choices as the page.

mod draw;
mod state;
#[cfg(test)]
mod tests;

use std::io::{IsTerminal as _, Write as _, stdin, stdout};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use kmerge_cli::temporary::{Held, Temporary, is_ending};
use kmerge_cli::tree::Dir;
use kmerge_core::Schema;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{Event, KeyEvent, KeyEventKind, poll, read};
use ratatui::crossterm::style::force_color_output;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{cursor, execute};

pub(crate) use self::state::Ended;
use self::state::{Next, Screen};
use super::choices::Written;
use super::file::Merge;
use crate::editor;

/// Insists on a terminal to ask on.
pub(crate) fn require_terminal() -> anyhow::Result<()> {
    ensure!(
        stdin().is_terminal() && stdout().is_terminal(),
        "--interactive needs a terminal: stdin and stdout have to be one"
    );
    Ok(())
}

/// Lets somebody decide the conflicts of `merges`, and writes what was chosen into `files`, which are theirs.
pub(crate) fn decide(merges: &[Merge], files: &mut [Written], schema: &Schema) -> anyhow::Result<Ended> {
    let mut screen = Screen::new(merges, files, schema);
    if anstream::ColorChoice::global() == anstream::ColorChoice::Never {
        force_color_output(false);
    }
    // A signal waits until the terminal is as it was.
    let held = Held::screen();
    let mut terminal = ratatui::try_init().context("cannot use the terminal")?;
    let ended = ask(&mut terminal, &mut screen);
    ratatui::restore();
    // With it the cursor comes back; after that a signal may end the process.
    drop(terminal);
    drop(held);
    ended
}

fn ask(terminal: &mut DefaultTerminal, screen: &mut Screen<'_>) -> anyhow::Result<Ended> {
    // The first question starts to listen: a window that changes while it is first drawn is drawn again.
    poll(Duration::ZERO).context("cannot read from the terminal")?;
    while !is_ending() {
        terminal.draw(|frame| draw::draw(screen, frame)).context("cannot write to the terminal")?;
        let Some(key) = key()? else { continue };
        match screen.press(key) {
            Next::Stay => {}
            Next::Edit => {
                let edited = edit(terminal, &screen.draft());
                screen.edited(edited);
            }
            Next::End(ended) => return Ok(ended),
        }
    }
    Ok(Ended::Quit)
}

/// The next key; `None` where something else has happened: another size, a signal.
fn key() -> anyhow::Result<Option<KeyEvent>> {
    /// How long a signal may have to wait.
    const PATIENCE: Duration = Duration::from_millis(100);
    while !is_ending() {
        if !poll(PATIENCE).context("cannot read from the terminal")? {
            continue;
        }
        return Ok(match read().context("cannot read from the terminal")? {
            Event::Key(key) if key.kind != KeyEventKind::Release => Some(key),
            _ => None,
        });
    }
    Ok(None)
}

/// What the user makes of a text in an editor.
fn edit(terminal: &mut DefaultTerminal, text: &str) -> anyhow::Result<String> {
    let place = std::env::temp_dir();
    let made = Dir::open(&place).and_then(|place| Temporary::private(&place, "kmerge-resolve-", ".yaml"));
    let (file, mut content) = made.with_context(|| format!("cannot create a file in {}", place.display()))?;
    let path: PathBuf = place.join(file.name());
    content.write_all(text.as_bytes()).context("cannot write what is to be edited")?;
    drop(content);
    disable_raw_mode()?;
    execute!(stdout(), LeaveAlternateScreen, cursor::Show)?;
    let done = editor::open(&path, &["GIT_EDITOR", "VISUAL", "EDITOR"]);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen)?;
    terminal.clear()?;
    done?;
    std::fs::read_to_string(&path).context("cannot read what was edited")
}
