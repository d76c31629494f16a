//! Development tasks: `cargo xtask <task>`.

fn main() -> anyhow::Result<()> {
    anyhow::bail!("no task is available yet")
}
