//! `cargo xtask pictures [--check]`: the drawings of the book, `docs/pictures/*.svg`, from the texts in this directory.
//!
//! A text is a drawing: panels, each with a title after `# ` and below it a tree, one node a line, indented by two spaces. The first
//! character of a line says how it looks: a blank, `+` for what changed, `-` for what went, `!` for a conflict. The last panel is the
//! result; it stands below the others.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// The name of each drawing, and its text.
const DRAWINGS: [(&str, &str); 3] = [
    ("rules", include_str!("pictures/rules.txt")),
    ("list", include_str!("pictures/list.txt")),
    ("splice", include_str!("pictures/splice.txt")),
];

const LINE: usize = 22;
const STEP: usize = 16;
const CHARACTER: usize = 8;
const MARGIN: usize = 16;

const STYLE: &str = "text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#24292f}\
.title{font:bold 13px system-ui,sans-serif}.changed{fill:#116329;font-weight:bold}.gone{fill:#8c959f;text-decoration:line-through}\
.conflict{fill:#a40e26;font-weight:bold}.panel{fill:#f6f8fa;stroke:#d0d7de}.twig{stroke:#8c959f;fill:none}.arrow{stroke:#57606a;fill:none}";

/// Writes the drawings, or with `--check` fails where one is not up to date.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let check = match arguments {
        [] => false,
        ["--check"] => true,
        _ => bail!("usage: cargo xtask pictures [--check]"),
    };
    for (name, text) in DRAWINGS {
        let path = path(name);
        let drawn = draw(text);
        if !check {
            std::fs::write(&path, drawn).with_context(|| format!("cannot write {}", path.display()))?;
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&drawn) {
            bail!("{} is not up to date: run `cargo xtask pictures`", path.display());
        }
    }
    Ok(())
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures").join(name).with_extension("svg")
}

/// A title and the lines below it.
struct Panel<'t> {
    title: &'t str,
    nodes: Vec<Node<'t>>,
}

struct Node<'t> {
    depth: usize,
    class: &'static str,
    text: &'t str,
}

impl Panel<'_> {
    fn width(&self) -> usize {
        let nodes = self.nodes.iter().map(|node| node.depth * STEP + node.text.chars().count() * CHARACTER);
        nodes.chain([self.title.chars().count() * CHARACTER]).max().unwrap_or_default() + 2 * MARGIN
    }

    fn height(&self) -> usize {
        (self.nodes.len() + 1) * LINE + MARGIN
    }
}

fn draw(text: &str) -> String {
    let panels = read(text);
    let (result, sides) = panels.split_last().expect("a drawing has panels");
    let gap = MARGIN * 2;
    let row: usize = sides.iter().map(|panel| panel.width() + gap).sum::<usize>() - gap;
    let tallest = sides.iter().map(Panel::height).max().unwrap_or_default();
    let width = row.max(result.width()) + 2 * MARGIN;
    let below = MARGIN + tallest + 2 * gap;
    let height = below + result.height() + MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <style>{STYLE}</style>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let mut x = (width - row) / 2;
    for panel in sides {
        write_panel(&mut out, panel, [x, MARGIN, tallest]);
        let (from, to) = (x + panel.width() / 2, width / 2);
        let bend = below - gap;
        let _ = writeln!(
            out,
            "<path class=\"arrow\" d=\"M{from} {} V{bend} H{to} V{} m-4 -6 l4 6 l4 -6\"/>",
            MARGIN + tallest,
            below - 2
        );
        x += panel.width() + gap;
    }
    write_panel(&mut out, result, [(width - result.width()) / 2, below, result.height()]);
    out + "</svg>\n"
}

fn read(text: &str) -> Vec<Panel<'_>> {
    let mut panels: Vec<Panel<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(title) = line.strip_prefix("# ") {
            panels.push(Panel { title, nodes: Vec::new() });
        } else if let Some(panel) = panels.last_mut() {
            let class = match line.as_bytes()[0] {
                b'+' => "changed",
                b'-' => "gone",
                b'!' => "conflict",
                _ => "plain",
            };
            let text = line[1..].trim_start();
            panel.nodes.push(Node { depth: (line.len() - 1 - text.len()) / 2, class, text });
        }
    }
    panels
}

fn write_panel(out: &mut String, panel: &Panel<'_>, [x, y, height]: [usize; 3]) {
    let width = panel.width();
    let _ = writeln!(out, "<rect class=\"panel\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>");
    let (left, first) = (x + MARGIN, y + LINE);
    let _ = writeln!(out, "<text class=\"title\" x=\"{left}\" y=\"{first}\">{}</text>", escaped(panel.title));
    for (index, node) in panel.nodes.iter().enumerate() {
        let (at, line) = (left + node.depth * STEP, first + (index + 1) * LINE);
        let above = panel.nodes[..index].iter().rposition(|other| other.depth < node.depth);
        if let Some(parent) = above {
            let (from, to) = (first + (parent + 1) * LINE + 5, line - 5);
            let _ = writeln!(out, "<path class=\"twig\" d=\"M{} {from} V{to} h8\"/>", at - 11);
        }
        let _ = writeln!(
            out,
            "<text class=\"{}\" x=\"{at}\" y=\"{line}\" xml:space=\"preserve\">{}</text>",
            node.class,
            escaped(node.text)
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_drawings_are_up_to_date() {
        super::run(&["--check"]).expect("`cargo xtask pictures` writes them");
    }
}
