//! A long manifest and two changed versions of it, for timing merges.

use kmerge_testgen::Rng;

/// So many places are changed, by either side in turn.
const EDITS: usize = 20;

/// Base, ours and theirs: changed images. `neighbours`: at each place ours changes the image, and theirs adds a line below
/// it, which is a conflict of lines.
pub(super) fn versions(base: String, seed: u64, neighbours: bool) -> [String; 3] {
    let lines: Vec<&str> = base.split_inclusive('\n').collect();
    let mut random = Rng::new(seed);
    let is_value =
        |line: &&str| line.contains(": ") && line.trim_end().ends_with(|last: char| last.is_ascii_alphanumeric());
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_pair = |at: &usize| {
        let (line, next) = (lines[*at], lines[at + 1]);
        line.trim_start().starts_with("image: ") && is_value(&line) && indentation(line) == indentation(next)
    };
    let pairs: Vec<usize> = (0..lines.len().saturating_sub(1)).filter(is_pair).collect();
    let step = pairs.len() / EDITS;
    let places = (0..EDITS).map(|number| pairs[number * step + random.below(step.max(1))]);
    let (mut ours, mut theirs) = (own(&lines), own(&lines));
    for (number, at) in places.enumerate() {
        if neighbours {
            change(&mut ours, at);
            theirs.insert(at + 1 + number, format!("{:1$}added: new\n", "", indentation(lines[at])));
        } else {
            change(if number % 2 == 0 { &mut ours } else { &mut theirs }, at);
        }
    }
    let [ours, theirs] = [ours.concat(), theirs.concat()];
    [base, ours, theirs]
}

/// Base, ours with another name for every resource, and theirs with ten changed images.
pub(crate) fn renames(base: String, seed: u64) -> [String; 3] {
    let mut ours = String::with_capacity(base.len() * 2);
    let mut in_metadata = false;
    for line in base.split_inclusive('\n') {
        in_metadata = line.starts_with("metadata:") || in_metadata && line.starts_with(' ');
        match line.strip_prefix("  name: ").filter(|name| in_metadata && name.starts_with(char::is_alphanumeric)) {
            Some(name) => ours.extend(["  name: renamed-", name]),
            None => ours.push_str(line),
        }
    }
    let [base, theirs, _] = versions(base, seed, false);
    [base, ours, theirs]
}

fn own(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn change(lines: &mut [String], at: usize) {
    lines[at] = format!("{}-changed\n", lines[at].trim_end());
}
