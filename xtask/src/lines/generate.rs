//! Random texts and random edits of them; the same seed gives the same texts.

/// A small generator of numbers (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// The inputs of one merge.
pub(crate) struct Triple {
    pub(crate) base: Vec<u8>,
    pub(crate) ours: Vec<u8>,
    pub(crate) theirs: Vec<u8>,
}

impl Triple {
    pub(crate) fn random(random: &mut Random) -> Self {
        let vocabulary = Vocabulary::random(random);
        let base = vocabulary.text(random);
        let edits = 1 + if matches!(vocabulary, Vocabulary::Long) {
            random.below(3000)
        } else if random.chance(80) {
            random.below(5)
        } else {
            random.below(base.len() / 4 + 20)
        };
        let mut ours = base.clone();
        let mut theirs = base.clone();
        vocabulary.edit(random, &mut ours, edits);
        if random.chance(30) {
            theirs.clone_from(&ours);
        } else if random.chance(10) {
            // Nearly nothing in common: here the diff must give up on being minimal.
            theirs = vocabulary.text(random);
        }
        vocabulary.edit(random, &mut theirs, edits);
        let newline = if random.chance(15) { "\r\n" } else { "\n" };
        let mixed = random.chance(5);
        let mut join = |lines: &[String]| join(random, lines, newline, mixed);
        Self { base: join(&base), ours: join(&ours), theirs: join(&theirs) }
    }
}

fn join(random: &mut Random, lines: &[String], newline: &str, mixed: bool) -> Vec<u8> {
    let mut text = String::new();
    let other = if mixed && random.chance(50) { "\r\n" } else { newline };
    for line in lines {
        text.push_str(line);
        text.push_str(if mixed && random.chance(20) { other } else { newline });
    }
    if random.chance(10) {
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    text.into_bytes()
}

/// What the lines of a text are made of.
enum Vocabulary {
    /// Few different lines, so that much is ambiguous.
    Letters(usize),
    /// Manifests: lines that recur in each of them, and lines that do not.
    Manifests { count: usize },
    /// Short lines, many of them without a letter or digit.
    Symbols,
    /// Many lines, most of them different, some very common.
    Long,
}

impl Vocabulary {
    fn random(random: &mut Random) -> Self {
        match random.below(1000) {
            0..10 => Self::Long,
            10..400 => Self::Letters(2 + random.below(8)),
            400..800 => Self::Manifests { count: 1 << random.below(8) },
            _ => Self::Symbols,
        }
    }

    fn text(&self, random: &mut Random) -> Vec<String> {
        match self {
            Self::Letters(_) | Self::Symbols => {
                let longest = if random.chance(90) { 40 } else { 3000 };
                (0..random.below(longest)).map(|_| self.line(random)).collect()
            }
            Self::Long => (0..[15_000, 60_000][random.below(2)]).map(|_| self.line(random)).collect(),
            Self::Manifests { count } => (0..*count).flat_map(|number| manifest(random, number)).collect(),
        }
    }

    fn line(&self, random: &mut Random) -> String {
        match self {
            Self::Long if random.chance(15) => random.pick(&["x", "y", ""]).to_owned(),
            Self::Long => format!("line {}", random.below(90_000)),
            Self::Letters(letters) if random.chance(90) => char::from(b'a' + random.below(*letters) as u8).to_string(),
            Self::Letters(_) => format!("line {}", random.below(500)),
            Self::Symbols => random.pick(&["", "{", "}", "---", "  -", "a: 1", "b", "}}"]).to_owned(),
            Self::Manifests { .. } => match random.below(4) {
                0 => random.pick(&["spec:", "  - name: app", "", "---", "        - name: A", "metadata:"]).to_owned(),
                _ => format!("  key{}: value{}", random.below(20), random.below(20)),
            },
        }
    }

    fn edit(&self, random: &mut Random, lines: &mut Vec<String>, edits: usize) {
        for _ in 0..edits {
            let at = random.below(lines.len() + 1);
            let size = match random.below(100) {
                0..70 => 1,
                98.. => random.below(lines.len() / 20 + 6),
                _ => random.below(6),
            };
            let end = (at + size).min(lines.len());
            match random.below(5) {
                0 => drop(lines.splice(at..end, [])),
                1 => {
                    let new: Vec<String> = (0..size).map(|_| self.line(random)).collect();
                    lines.splice(at..at, new);
                }
                2 => {
                    // Copies a block, the favourite of those who add one more container.
                    let copied = lines[at..end].to_vec();
                    lines.splice(end..end, copied);
                }
                _ => {
                    let new: Vec<String> = (at..end).map(|_| self.line(random)).collect();
                    lines.splice(at..end, new);
                }
            }
        }
    }
}

fn manifest(random: &mut Random, number: usize) -> Vec<String> {
    let mut lines: Vec<String> =
        ["---", "apiVersion: apps/v1", "kind: Deployment", "metadata:"].map(str::to_owned).into();
    lines.push(format!("  name: app-{number}"));
    lines.extend(["spec:", "  template:", "    spec:", "      containers:"].map(str::to_owned));
    for container in 0..=random.below(3) {
        lines.push(format!("      - name: c{container}"));
        lines.push(format!("        image: registry.example/app:{}", random.below(30)));
        lines.push("        env:".to_owned());
        for _ in 0..random.below(4) {
            lines.push(format!("        - name: {}", random.pick(&["A", "B", "C", "D"])));
            lines.push(format!("          value: \"{}\"", random.below(3)));
        }
    }
    lines
}
