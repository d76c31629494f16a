//! `kmerge`: the command line over `kmerge-core`.

fn main() -> anyhow::Result<()> {
    anyhow::bail!("no command is available yet")
}
