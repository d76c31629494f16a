//! What no command tells anybody: what Secrets hold, and control characters.
//!
//! Every command is run over generated files; results go into files, so that everything on stdout and stderr is said to people.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len())]
    }
}

/// A directory with three versions of a file, and what commands have said there.
struct Room {
    room: tempfile::TempDir,
    names: [String; 3],
    texts: [String; 3],
}

/// What a command said, with what it wrote as a report.
struct Said {
    command: Vec<String>,
    text: String,
}

impl Room {
    fn new(names: [&str; 3], texts: [String; 3]) -> Self {
        let room = Self { room: tempfile::tempdir().expect("a directory"), names: names.map(str::to_owned), texts };
        room.reset();
        room
    }

    fn at(&self, name: &str) -> PathBuf {
        self.room.path().join(name)
    }

    fn reset(&self) {
        for (side, (name, text)) in ["old", "new", "mine"].iter().zip(self.names.iter().zip(&self.texts)) {
            std::fs::write(self.at(name), text).expect("a file");
            let directory = self.at(side);
            std::fs::create_dir_all(&directory).expect("a directory");
            std::fs::write(directory.join(&self.names[2]), text).expect("a file");
        }
    }

    fn run(&self, args: &[&str]) -> Said {
        let [old, new, mine] = &self.names;
        let fill = |word: &&str| match *word {
            "OLD" => old.clone(),
            "NEW" => new.clone(),
            "MINE" => mine.clone(),
            word => word.to_owned(),
        };
        let args: Vec<String> = args.iter().map(fill).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
        command.args(&args).args(["--color", "always"]).current_dir(self.room.path()).env("HOME", self.room.path());
        command.stdin(std::fs::File::open(self.at(mine)).expect("a file"));
        let done = command.output().expect("it starts");
        assert_ne!(done.status.code(), Some(101), "{args:?} {done:?}");
        let mut text = String::from_utf8(done.stdout).expect("text") + &String::from_utf8_lossy(&done.stderr);
        text += &std::fs::read_to_string(self.at("report")).unwrap_or_default();
        std::fs::remove_file(self.at("report")).ok();
        Said { command: args, text }
    }

    fn run_all(&self) -> Vec<Said> {
        let merge = ["merge3", "--original", "OLD", "--updated", "NEW", "--dest", "MINE"];
        let trees = ["merge3", "--original", "old", "--updated", "new", "--dest", "mine"];
        let mut commands: Vec<Vec<&str>> = COMMANDS.iter().map(|command| command.split(' ').collect()).collect();
        for with in WITH {
            let with: Vec<&str> = with.split(' ').collect();
            commands.push([&merge[..], &with].concat());
            commands.push([&trees[..], &with].concat());
        }
        let said = commands.iter().map(|command| {
            let said = self.run(command);
            self.reset();
            said
        });
        said.collect()
    }
}

/// How a merge says what it does.
const WITH: [&str; 9] = [
    "--diff",
    "--check --verbose",
    "--diff --on-conflict markers",
    "--diff --on-conflict dest --verbose",
    "--check --on-conflict fail",
    "--check --report report --format text",
    "--check --report report --format json",
    "--check --policy git --report report --format text",
    "--check --list-key .a[].b=c",
];

const COMMANDS: [&str; 49] = [
    "merge2 NEW MINE --diff",
    "merge2 NEW MINE --check --verbose",
    "merge2 NEW MINE --check --report report --format json",
    "merge2 - --diff",
    "merge2 MINE --diff",
    "merge2 new mine --diff",
    "driver OLD MINE NEW -p MINE",
    "driver OLD MINE NEW --report report --format text",
    "driver OLD MINE NEW --report report --format json",
    "driver NEW OLD MINE --on-conflict base",
    "explain driver OLD MINE NEW",
    "review --base OLD --ours MINE --theirs NEW -o report",
    "explain driver OLD MINE NEW --format json",
    "explain merge3 --original OLD --updated NEW --dest MINE",
    "explain merge2 NEW MINE",
    "explain keys MINE",
    "diff OLD MINE",
    "diff OLD MINE --comments",
    "diff OLD MINE --format json --comments",
    "diff OLD MINE --brief",
    "diff old mine",
    "diff old mine --format json",
    "check MINE",
    "check MINE OLD --format json",
    "check mine --format github",
    "get MINE .stringData.none",
    "get MINE .stringData.c.d",
    "get MINE .items[0].stringData.none --select Secret/nobody",
    "set MINE .stringData.c new --diff",
    "set MINE .stringData.c.d new --diff",
    "set MINE .metadata.labels.new new --diff",
    "set MINE .items[0].stringData.c new --diff",
    "set MINE .stringData.e.d new --diff",
    "delete MINE .stringData.c --diff",
    "delete MINE .stringData.none --diff",
    "patch -p {\"stringData\":{\"c\":\"new\"}} MINE --diff",
    "patch --type json -p [{\"op\":\"test\",\"path\":\"/stringData/c\",\"value\":1}] MINE --diff",
    "patch --type merge -p {\"stringData\":{\"c\":null}} MINE --diff",
    "patch -p NEW MINE --diff",
    "apply --live MINE --config NEW --last-applied OLD --diff",
    "apply --live MINE --config NEW --check --report report --format text",
    "apply --live MINE --config NEW --check --report report --format json",
    "apply --live OLD --config MINE --check --fail-on-conflict",
    "last-applied set MINE --diff",
    "last-applied strip MINE --diff",
    "resolve MINE --diff",
    "resolve MINE",
    "setup --check --global",
    "--no-such-flag MINE",
];

/// Spellings of a kind, as lines of a mapping.
const KINDS: [&str; 12] = [
    "kind: Secret",
    "'kind': Secret",
    "\"kind\": \"Secret\"",
    "\"kind\" : \"S\\u0065cret\"",
    "kind: !!str Secret",
    "kind: &kind Secret",
    "kind: >-\n  Secret",
    "? kind\n: Secret",
    "<<: {kind: Secret}",
    "x-kind: &k Secret\nkind: *k",
    "kind: Secret\nkind: ConfigMap",
    "kind: \"Sec\\\n  ret\"",
];

/// Ways to hold a word, as lines below a field.
const HELD: [&str; 9] = [
    "  c: WORD",
    "  c: \"WORD\"",
    "  c: 'WORD' # WORD",
    "  # WORD\n  c: |\n    first\n    WORD\n\n    last",
    "  c: >-\n    WORD\n    WORD",
    "  c: &c WORD\n  e: *c",
    "  c: WORD\n  c: WORD",
    "  - WORD",
    "  c: {deeper: [WORD]}",
];

/// A Secret with a word that nobody may see; the spelling is that of `seed`.
fn secret(seed: u64, word: &str) -> String {
    let mut random = Random(seed);
    let mut lines = vec![random.pick(&KINDS).to_owned(), "apiVersion: v1".to_owned()];
    let annotation = "kubectl.kubernetes.io/last-applied-configuration";
    lines.push(match random.below(3) {
        0 => "metadata: {name: token}".to_owned(),
        1 => format!("metadata:\n  name: token\n  annotations:\n    {annotation}: '{{\"stringData\":{{\"c\":\"WORD\"}}}}'"),
        _ => format!("metadata:\n  name: token\n  annotations:\n    {annotation}: |\n      {{\"kind\":\"Secret\",\"data\":{{\"c\":\"WORD\"}}}}"),
    });
    lines.push(format!("{}:\n{}", random.pick(&["data", "stringData"]), random.pick(&HELD)));
    if random.below(3) == 0 {
        lines.push("# WORD".to_owned());
    }
    // In any order.
    for at in (1..lines.len()).rev() {
        lines.swap(at, random.below(at + 1));
    }
    lines.join("\n").replace("WORD", word) + "\n"
}

fn indented(text: &str) -> String {
    let lines = text.lines().enumerate();
    let indent = |(at, line): (usize, &str)| match (at, line) {
        (_, "") => "\n".to_owned(),
        (0, line) => format!("- {line}\n"),
        (_, line) => format!("  {line}\n"),
    };
    lines.map(indent).collect()
}

/// A file with a Secret in it, somehow; `broken` of them is no YAML.
fn file(seed: u64, word: &str) -> String {
    let mut random = Random(seed ^ 0x5ec2e7);
    let secret = secret(seed, word);
    match random.below(10) {
        0 => format!("apiVersion: v1\nkind: List\nitems:\n{}", indented(&secret)),
        1 => format!(
            "apiVersion: v1\nkind: List\nitems:\n{}",
            indented(&format!("kind: List\nitems:\n{}", indented(&secret)))
        ),
        2 => format!("kind: SecretList\nitems:\n- metadata: {{name: token}}\n  stringData:\n    c: {word}\n"),
        3 => format!("kind: ConfigMap\nmetadata: {{name: a}}\ndata: {{a: b}}\n---\n{secret}---\nkind: A\n"),
        4 => format!(
            "{{\"kind\": \"Secret\", \"metadata\": {{\"name\": \"token\"}}, \"data\": {{\"c\": \"{word}\"}}}}\n"
        ),
        5 => format!("{secret}broken: [\n"),
        6 => format!("{{{{ if .on }}}}\n{secret}{{{{ end }}}}\n"),
        7 => format!("{secret}<<<<<<< ours\nx: {word}\n=======\nx: 1{word}\n>>>>>>> theirs\n"),
        _ => secret,
    }
}

#[test]
fn no_command_tells_a_secret() {
    for seed in 0..cases() {
        // Now and then one version is another one than the others.
        let texts = [("geheim1", 0), ("geheim2", seed % 5 / 4), ("geheim3", seed % 3 / 2)];
        let texts = texts.map(|(word, other)| file(seed + 1000 * other, word));
        let room = Room::new(["old.yaml", "new.yaml", "mine.yaml"], texts);
        let patch = indented(&secret(seed, "geheim4")).replacen("- ", "  ", 1).replace('\n', "\n    ");
        let kustomization = format!("resources: [../mine.yaml]\npatches:\n- patch: |-\n    {patch}\n");
        std::fs::create_dir(room.at("build")).expect("a directory");
        std::fs::write(room.at("build/kustomization.yaml"), kustomization).expect("a file");
        let build = [
            "build build --load-restrictor none --diff --root .",
            "check build",
            "explain keys build/kustomization.yaml",
        ];
        let build = build.map(|command| room.run(&command.split(' ').collect::<Vec<_>>()));
        let bytes = [b"stringData:\n  c: geheim5\xff\n", file(seed, "geheim6").as_bytes()].concat();
        std::fs::write(room.at("bytes.yaml"), bytes).expect("a file");
        let bytes = ["check bytes.yaml", "get bytes.yaml .kind"].map(|it| room.run(&it.split(' ').collect::<Vec<_>>()));
        for said in room.run_all().into_iter().chain(build).chain(bytes) {
            assert!(!said.text.contains("geheim"), "{:?}\n{}\nof {}", said.command, said.text, room.texts[2]);
        }
    }
}

/// More with `KMERGE_LAW_CASES`.
fn cases() -> u64 {
    std::env::var("KMERGE_LAW_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12)
}

/// What must not reach a terminal, as it stands in double quotes and decoded.
const PLANTED: [(&str, &str); 7] = [
    ("\\e[45mPLANT", "\u{1b}[45mPLANT"),
    ("\\x07PLANT", "\u{7}PLANT"),
    ("\\x9b45mPLANT", "\u{9b}45mPLANT"),
    ("\\x7fPLANT", "\u{7f}PLANT"),
    ("\\u202ePLANT", "\u{202e}PLANT"),
    ("\\r\\nPLANT", "\r\nPLANT"),
    ("\\e]0;PLANT\\a", "\u{1b}]0;PLANT\u{7}"),
];

fn planted(escape: &str, raw: &str, value: &str) -> String {
    // Directions may stand in YAML as they are.
    let raw = if raw.contains('\u{202e}') { raw } else { "raw" };
    format!(
        "apiVersion: \"v1{escape}\"\nkind: \"Deployment{escape}\"\nmetadata:\n  name: \"web{escape}\"\n  namespace: \"n{escape}\"\n  \
         labels: {{\"l{escape}\": \"v{escape}{value}\"}}\nstringData:\n  c: \"{value}{escape}\"\n  \"{escape}\": {value}{raw}\n  \
         \"{escape}\": {value}\nspec: # {raw}\n  list:\n  - name: \"{escape}\"\n    v: {value}\n  - name: \"{escape}\"\n    v: \"{escape}\"\n"
    )
}

fn is_control(character: char) -> bool {
    let is_ours = matches!(character, '\n' | '\t');
    character.is_control() && !is_ours
        || "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}".contains(character)
}

/// A text without the colours of this program.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split("\u{1b}[");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let length = part.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
        let (codes, rest) = part.split_at(length);
        assert!(!codes.split(';').any(|code| code == "45"), "a colour that is not ours: {text}");
        out.push_str(rest.strip_prefix('m').unwrap_or("\u{1b}"));
    }
    out
}

fn check_terminal(said: &Said) {
    let text = without_colours(&said.text);
    let found = text.char_indices().find(|(at, character)| is_control(*character) && !text[*at..].starts_with("\r\n"));
    assert_eq!(found, None, "{:?}\n{text}", said.command);
    assert!(!text.lines().any(|line| line.starts_with("PLANT")), "{:?}\n{text}", said.command);
}

#[test]
fn no_command_sends_control_characters_to_a_terminal() {
    for (escape, raw) in PLANTED {
        let plain = |escape: &str| ["1", "2", "3"].map(|value| planted(escape, raw, value));
        let twice = Room::new(["old.yaml", "new.yaml", "mine.yaml"], plain(escape));
        twice.run_all().iter().for_each(check_terminal);
        let once = plain(escape)
            .map(|text| text.replacen(&format!("  \"{escape}\": "), "  d: ", 1).replacen("  - name: ", "  - id: ", 1));
        let names = ["old", "new", "mine"].map(|name| format!("{name}{raw}.yaml"));
        let once = Room::new(names.each_ref().map(String::as_str), once);
        once.run_all().iter().for_each(check_terminal);
        std::fs::write(once.at("kustomization.yaml"), format!("resources: [\"none{escape}.yaml\"]\n\"{escape}\": 1\n"))
            .expect("a file");
        check_terminal(&once.run(&["build", "."]));
        check_terminal(&once.run(&["build", &format!("none{raw}")]));
        check_terminal(&once.run(&["recover", &format!("none{raw}")]));
        check_terminal(&once.run(&["check", "MINE", &format!("--none{raw}")]));
    }
}

/// One module writes to people; results have a writer of their own.
#[test]
fn one_module_writes_to_terminals() {
    let mut open = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).expect("a directory").map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source");
        let is_writer = ["anstream::std", "io::stderr", "eprintln!", "eprint!"].iter().any(|word| text.contains(word));
        found.extend(is_writer.then(|| path.file_name().map(Path::new).map(Path::to_owned)).flatten());
    }
    found.sort();
    // Progress is one line of its own, and only on a terminal.
    assert_eq!(found, [Path::new("progress.rs"), Path::new("terminal.rs")]);
}
