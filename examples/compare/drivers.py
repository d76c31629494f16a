#!/usr/bin/env python3
"""Merges the scenarios of fixtures/driver with each git merge driver that is installed, and counts what they make of them.

Of a clean result it is counted whether `kmerge check` finds a mistake that no input has, and whether a word is missing that
one side added. The scenarios are tests of kmerge, so they are about what it is good at. Prints a table.
"""
import collections
import pathlib
import re
import shutil
import subprocess

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "fixtures/driver"
TOOLS = {
    "`kmerge driver`": lambda base, ours, theirs: ["kmerge", "driver", "--quiet", "-o", "-", base, ours, theirs],
    "`git merge-file`": lambda base, ours, theirs: ["git", "merge-file", "-p", ours, base, theirs],
    "`mergiraf merge`": lambda base, ours, theirs: ["mergiraf", "merge", "-p", "a.yaml", base, ours, theirs],
}


def words(text):
    """How often each word stands in a text; escapes of line breaks are blanks."""
    return collections.Counter(re.findall(rb"[\w.:/@-]*\w", text.replace(b"\\n", b" ")))


def lacks_words(base, ours, theirs, result):
    """Whether a word that a side has more often than the base is nowhere in the result."""
    base, result = words(base), words(result)
    return any(count > base[word] and not result[word] for side in (ours, theirs) for word, count in words(side).items())


def has_mistakes(text):
    return subprocess.run(["kmerge", "check", "--quiet", "-"], input=text, capture_output=True).returncode != 0


def main():
    counts = collections.defaultdict(collections.Counter)
    cases = [case for case in sorted(SCENARIOS.iterdir()) if (case / "theirs.yaml").is_file()]
    for case in cases:
        files = [str(case / f"{side}.yaml") for side in ("base", "ours", "theirs")]
        texts = [pathlib.Path(file).read_bytes() for file in files]
        is_good = not any(map(has_mistakes, texts))
        for tool, command in TOOLS.items():
            if not shutil.which(command(*files)[0]):
                continue
            done = subprocess.run(command(*files), capture_output=True)
            count = counts[tool]
            if done.returncode != 0:
                count["conflict"] += 1
                continue
            count["clean"] += 1
            count["mistake"] += is_good and has_mistakes(done.stdout)
            count["lost"] += lacks_words(*texts, done.stdout)
    print(f"| {len(cases)} scenarios | clean | clean with a mistake | clean with a lost word | conflicts |")
    print("|---|---|---|---|---|")
    for tool, it in counts.items():
        print(f"| {tool} | {it['clean']} | {it['mistake']} | {it['lost']} | {it['conflict']} |")


main()
