//! Draws the screen. Every text that comes from a file goes through [`plain`]: control characters are shown, never sent.

use ratatui::Frame;
use ratatui::layout::{Constraint, Direction, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize as _};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use super::super::choices::Choice;
use super::super::file::{Shown, Sides};
use super::state::{Item, Screen, Stop};
use crate::terminal::{counted, line};

/// The smallest terminal, in columns and lines.
const LEAST: (u16, u16) = (40, 14);

/// From so many columns on, the list stands beside the conflict, and the sides beside each other.
const WIDE: u16 = 110;

/// Lines and columns of a frame itself.
const FRAME: u16 = 2;

/// The bit of [`Shown::Line`] for lines of the result.
const RESULT: u8 = 8;

const HELP: [&str; 11] = [
    "1  2  3   choose our side, their side, the base",
    "e         edit the conflict ($GIT_EDITOR, $VISUAL, $EDITOR)",
    "u         undo the choice",
    "n  p      next, previous conflict that is left",
    "j  k      next, previous conflict",
    "Space  b  scroll down, up",
    "w         write, and end; what is left keeps its markers",
    "W         the same, although a choice breaks a file",
    "q         quit without writing",
    "",
    "Any key closes this help.",
];

pub(super) fn draw(screen: &Screen<'_>, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("kmerge needs {} columns and {} lines. q quits.", LEAST.0, LEAST.1);
        frame.render_widget(Paragraph::new(wrapped(&text, area.width)), area);
        return;
    }
    let says = lines(screen.says.iter().map(String::as_str), area.width);
    let says_height = Constraint::Length(length(says.len()).min(area.height / 3));
    let rows = Layout::vertical([Constraint::Length(1), Constraint::Min(6), says_height, Constraint::Length(1)]);
    let [title, body, message, keys] = rows.areas(area);
    frame.render_widget(Line::from(format!("{:1$}", summary(screen), usize::from(area.width))).reversed(), title);
    frame.render_widget(Paragraph::new(says).fg(Color::Yellow), message);
    frame.render_widget(Line::from(keys_for(area.width)).dim(), keys);
    let (direction, list) = if area.width >= WIDE {
        (Direction::Horizontal, Constraint::Length(36))
    } else {
        (Direction::Vertical, Constraint::Length(length(screen.list.len()).min(body.height / 4).max(2)))
    };
    let [list, detail] = Layout::new(direction, [list, Constraint::Min(5)]).spacing(1).areas(body);
    frame.render_widget(Paragraph::new(entries(screen, list.height)), list);
    draw_conflict(screen, frame, detail);
    if screen.shows_help {
        draw_help(frame, area);
    }
}

/// A text on one line, as people may see it.
fn plain(text: &str) -> String {
    line(text.strip_suffix('\r').unwrap_or(text)).into_owned()
}

fn summary(screen: &Screen<'_>) -> String {
    let files = counted(screen.files.len(), "file");
    format!("kmerge resolve: {files}, {} left", counted(screen.left(), "conflict"))
}

const fn keys_for(width: u16) -> &'static str {
    if width < 66 {
        "1 2 3 e  w write  q quit  ? help"
    } else {
        "1 ours  2 theirs  3 base  e edit  n next  w write  q quit  ? help"
    }
}

/// A number of lines, as the layout counts them.
fn length(lines: usize) -> u16 {
    u16::try_from(lines).unwrap_or(u16::MAX)
}

/// Texts as people may see them, on as many lines as they need.
fn lines<'t>(texts: impl IntoIterator<Item = &'t str>, width: u16) -> Vec<Line<'static>> {
    texts.into_iter().flat_map(|text| wrapped(text, width)).collect()
}

/// One text on as many lines as it needs; they break behind blanks where there are any between words.
fn wrapped(text: &str, width: u16) -> Vec<Line<'static>> {
    let text = plain(text);
    let mut lines = Vec::new();
    let (mut start, mut used, mut blank) = (0, 0, None);
    for (at, character) in text.char_indices() {
        let wide = Span::raw(character.encode_utf8(&mut [0; 4]).to_owned()).width();
        if used + wide > usize::from(width) && at > start {
            let end = blank.take().unwrap_or(at);
            lines.push(Line::from(text[start..end].to_owned()));
            start = end;
            used = Span::raw(&text[end..at]).width();
        }
        used += wide;
        if character == ' ' && !text[start..at].trim_start().is_empty() {
            blank = Some(at + 1);
        }
    }
    lines.push(Line::from(text[start..].to_owned()));
    lines
}

/// The part of the list that has room, around the conflict that is looked at.
fn entries(screen: &Screen<'_>, height: u16) -> Vec<Line<'static>> {
    let room = usize::from(height);
    let current = screen.list.iter().position(|item| *item == Item::Stop(screen.at)).unwrap_or_default();
    let last = screen.list.len().saturating_sub(room);
    let first = current.saturating_sub(room / 2).min(last);
    let shown = screen.list[first..].iter().take(room);
    let entry = |item: &Item| match *item {
        Item::File(at) => Line::from(plain(&screen.files[at].shown.path)).bold(),
        Item::Stop(at) => entry(screen, at, screen.stops[at]),
    };
    shown.map(entry).collect()
}

fn entry(screen: &Screen<'_>, at: usize, stop: Stop) -> Line<'static> {
    let mark = match screen.choice(stop) {
        None => "✗",
        Some(Choice::Ours) => "1",
        Some(Choice::Theirs) => "2",
        Some(Choice::Base) => "3",
        Some(Choice::Text(_)) => "e",
    };
    let is_current = at == screen.at;
    let place = screen.decisions(stop).first().map(|decision| plain(&decision.path));
    let place = place.unwrap_or_else(|| format!("conflict {}", stop.hunk + 1));
    let style = if is_current { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
    let pointer = if is_current { ">" } else { " " };
    Line::from(vec![Span::raw(format!("{pointer} {mark} ")), Span::styled(place, style)])
}

fn draw_conflict(screen: &Screen<'_>, frame: &mut Frame<'_>, area: Rect) {
    let stop = screen.stop();
    let about = about(screen, stop, area.width);
    let around = if area.height >= 18 { 3 } else { 0 };
    let columns = columns(screen.sides(stop), screen.choice(stop));
    let head = length(about.len()).min(area.height / 3);
    let room = area.height.saturating_sub(head + 2 * around);
    // Beside each other where there is room for that, or none below each other.
    let is_low = room / length(columns.len()).max(1) <= FRAME;
    let direction = if is_low || area.width >= 70 { Direction::Horizontal } else { Direction::Vertical };
    let parts = [head, around, needed(&columns, area.width, direction).min(room), around].map(Constraint::Length);
    let [head, above, sides, below] = Layout::vertical(parts).areas(area);
    frame.render_widget(Paragraph::new(about), head);
    let rows = &screen.files[stop.file].shown.rows;
    let mut before: Vec<Line<'static>> = kept(rows[..stop.row].iter().rev(), above.height);
    before.reverse();
    frame.render_widget(Paragraph::new(before).dim(), above);
    frame.render_widget(Paragraph::new(kept(rows[stop.row + 1..].iter(), below.height)).dim(), below);
    let areas = Layout::new(direction, vec![Constraint::Fill(1); columns.len()]).split(sides);
    for (column, area) in columns.iter().zip(areas.iter()) {
        draw_column(column, screen.scroll, frame, *area);
    }
}

/// Where the conflict is, and why it is one.
fn about(screen: &Screen<'_>, stop: Stop, width: u16) -> Vec<Line<'static>> {
    let file = &screen.files[stop.file].shown;
    let decisions = screen.decisions(stop);
    let mut found = Vec::new();
    if decisions.is_empty() {
        found.push(Line::from(format!("conflict {} of {}", stop.hunk + 1, plain(&file.path))).bold());
    }
    for decision in decisions {
        let place = format!("{} {}", decision.resource, decision.path);
        found.extend(wrapped(place.trim_start(), width).into_iter().map(Line::bold));
        found.extend(wrapped(&decision.why, width));
    }
    found.extend(lines(file.note.as_deref(), width));
    if file.secret {
        found.extend(wrapped("This file holds a Secret: its values are hidden.", width));
    }
    found
}

/// The nearest lines of the result.
fn kept<'r>(rows: impl Iterator<Item = &'r Shown>, most: u16) -> Vec<Line<'static>> {
    let text = |row: &Shown| match row {
        Shown::Line(texts, text) if texts & RESULT != 0 => Some(Line::from(format!(" {}", plain(text)))),
        Shown::Line(..) => None,
        Shown::Hunk(_) => Some(Line::from(" … another conflict")),
    };
    rows.filter_map(text).take(usize::from(most)).collect()
}

/// What stands in one of the frames beside each other.
struct Column<'c> {
    name: String,
    lines: Vec<&'c str>,
    is_chosen: bool,
}

/// How many lines the frames need.
fn needed(columns: &[Column<'_>], width: u16, direction: Direction) -> u16 {
    let count = length(columns.len()).max(1);
    let (width, times) = if direction == Direction::Horizontal { (width / count, 1) } else { (width, count) };
    let lines = |column: &Column<'_>| lines(column.lines.iter().copied(), width.saturating_sub(FRAME)).len().max(1);
    let most = columns.iter().map(lines).max().unwrap_or_default();
    length(most).saturating_add(FRAME).saturating_mul(times)
}

/// The frames, without the indentation that all lines share.
fn columns<'c>(sides: &'c Sides, choice: Option<&'c Choice>) -> Vec<Column<'c>> {
    let names = sides.names();
    let keys = [("1 ours", Choice::Ours), ("3 base", Choice::Base), ("2 theirs", Choice::Theirs)];
    let side = |(at, (key, own)): (usize, (&str, Choice))| {
        let name = if names[at].is_empty() { key.to_owned() } else { format!("{key}: {}", names[at]) };
        let lines = sides.hunk[at].as_ref()?.iter().map(String::as_str).collect();
        Some(Column { name, lines, is_chosen: choice == Some(&own) })
    };
    let mut columns: Vec<Column<'c>> = keys.into_iter().enumerate().filter_map(side).collect();
    if let Some(Choice::Text(text)) = choice {
        columns.push(Column { name: "e edited".to_owned(), lines: text.lines().collect(), is_chosen: true });
    }
    let all = columns.iter().flat_map(|column| &column.lines).filter(|line| !line.trim().is_empty());
    let indent = all.map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or_default();
    for line in columns.iter_mut().flat_map(|column| &mut column.lines) {
        *line = line.get(indent..).unwrap_or_default();
    }
    columns
}

fn draw_column(column: &Column<'_>, scroll: u16, frame: &mut Frame<'_>, area: Rect) {
    let (mark, colour) = if column.is_chosen { ("✓ ", Color::Green) } else { ("", Color::Reset) };
    let title = plain(&format!(" {mark}{} ", column.name));
    let block = Block::bordered().title(title).border_style(Style::new().fg(colour));
    let inside = block.inner(area);
    let text = match column.lines[..] {
        [] => vec![Line::from("(nothing)").dim()],
        _ => lines(column.lines.iter().copied(), inside.width),
    };
    let hidden = text.len().saturating_sub(usize::from(inside.height));
    let scroll = scroll.min(length(hidden));
    let rest = hidden - usize::from(scroll);
    let block = if rest > 0 { block.title_bottom(format!(" {rest} more: Space ")) } else { block };
    frame.render_widget(Paragraph::new(text).scroll((scroll, 0)).block(block), area);
}

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let [width, height] = [HELP.iter().map(|line| line.len()).max().unwrap_or(0), HELP.len()]
        .map(|length| u16::try_from(length + 2).unwrap_or(u16::MAX));
    let middle = area.centered(Constraint::Max(width), Constraint::Max(height));
    frame.render_widget(Clear, middle);
    let text: Vec<Line<'static>> = HELP.iter().map(|text| Line::from(*text)).collect();
    frame.render_widget(Paragraph::new(text).block(Block::bordered().title(" Keys ")), middle);
}
