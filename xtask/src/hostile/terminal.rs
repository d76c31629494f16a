//! Control characters in names and values: none may reach a terminal as it is.

use super::Tries;
use super::room::{Program, Room};

/// Clears a screen, sets a window's title, C1's control sequence introducer, DEL, a line that overwrites the one before.
const EVIL: &[&str] = &["\u{1b}[2J", "\u{1b}]0;x\u{7}", "\u{9b}31m", "\u{7f}", "\u{8}\u{8}", "a\rb", "\u{202e}b"];

const COMMANDS: &[&[&str]] = &[
    &["check", "FILE"],
    &["check", "DIR"],
    &["diff", "FILE", "OTHER"],
    &["explain", "keys", "FILE"],
    &["explain", "merge3", "--original", "FILE", "--updated", "OTHER", "--dest", "OTHER"],
    &["get", "FILE", ".absent"],
    &["get", "MISSING", ".a"],
    &["set", "FILE", ".metadata.name.x", "1"],
    &["set", "FILE", "--select", "EVIL/EVIL", ".a", "1"],
    &["merge3", "--original", "FILE", "--updated", "OTHER", "--dest", "FILE", "--on-conflict", "fail", "-o", "out"],
    &["driver", "FILE", "OTHER", "THIRD", "-o", "out", "-p", "FILE"],
    &["merge3", "--original", "DIR", "--updated", "DIR2", "--dest", "DIR3", "--report", "-"],
    &["build", "DIR"],
    &["patch", "-p", "BROKEN", "FILE"],
    &["apply", "--live", "FILE", "--config", "OTHER", "-o", "out"],
    &["recover", "MISSING"],
    &["resolve", "BROKEN"],
];

pub(super) fn controls(program: &Program, tries: &mut Tries) -> anyhow::Result<()> {
    for evil in EVIL {
        let room = room(program, evil)?;
        for command in COMMANDS {
            let replaced = |word: &&str| match *word {
                "FILE" => format!("x{evil}.yaml"),
                "OTHER" => format!("y{evil}.yaml"),
                "THIRD" => format!("z{evil}.yaml"),
                "BROKEN" => format!("broken{evil}.yaml"),
                "MISSING" => format!("missing{evil}"),
                "DIR" | "DIR2" | "DIR3" => format!("{word}{evil}"),
                word => word.replace("EVIL", evil),
            };
            let words: Vec<String> = command.iter().map(replaced).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let ran = room.run(&words)?;
            tries.add(&format!("{evil:?}, {}", command.join(" ")), ran.ending().or(raw(&ran.printed)));
        }
    }
    Ok(())
}

/// The first control or direction character that was printed raw.
fn raw(printed: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(printed);
    let is_raw = |c: char| (c.is_control() && !"\n\t".contains(c)) || ('\u{202a}'..='\u{202e}').contains(&c);
    let line = text.lines().find(|line| line.contains(is_raw) || line.contains('\r'));
    line.map(|line| format!("prints {line:?}"))
}

fn room(program: &Program, evil: &str) -> anyhow::Result<Room> {
    let room = Room::new(program)?;
    let quoted = evil.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect::<String>();
    for (name, value) in [("x", "1"), ("y", "2"), ("z", "3")] {
        let text = format!(
            "apiVersion: v1\nkind: \"K{quoted}\"\nmetadata:\n  name: \"n{quoted}\"\n\"key{quoted}\": \"v{quoted}{value}\"\nlist:\n- name: \"e{quoted}\"\n  v: {value}\n- name: \"e{quoted}\"\n"
        );
        room.file(&format!("{name}{evil}.yaml"), &text)?;
    }
    room.file(&format!("broken{evil}.yaml"), format!("a: \"{evil}\n  b: [\n"))?;
    for (number, directory) in ["DIR", "DIR2", "DIR3"].iter().enumerate() {
        let text = format!("apiVersion: v1\nkind: \"K{quoted}\"\nmetadata:\n  name: \"n{quoted}\"\nspec: {number}\n");
        room.file(&format!("{directory}{evil}/f{evil}.yaml"), text)?;
        room.file(&format!("{directory}{evil}/kustomization.yaml"), format!("resources: [\"absent{quoted}\"]\n"))?;
    }
    Ok(room)
}
