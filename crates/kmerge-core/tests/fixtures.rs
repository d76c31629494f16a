//! The merges of `fixtures/merge2` and `fixtures/merge3`: each gives what it should, and keeps every law.
//!
//! A case is a directory with the inputs, `expected.yaml`, and `case.toml`, which says what the case is about and what is
//! not the default: `policy`, `both_changed`, `nulls`, `order`, `schema`, `list-keys`; and, where there are any, which paths
//! are `conflicts` and which were `decided` although both sides changed them. A known defect has today's result as
//! `expected.yaml` and the wanted one as `ideal.yaml`; the case fails as soon as the two meet. `KMERGE_BLESS=1` writes
//! `expected.yaml` anew.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "fixtures/case.rs"]
mod case;
#[path = "fixtures/laws.rs"]
mod laws;

use case::Case;

fn run(suite: &str) {
    let mut wrong = Vec::new();
    let cases = Case::all(suite);
    assert!(!cases.is_empty(), "no cases in {suite}");
    for case in &cases {
        wrong.extend(check(case).into_iter().map(|what| format!("{suite}/{}: {what}", case.name)));
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}

/// Everything that is wrong with a case.
fn check(case: &Case) -> Vec<String> {
    let mut wrong = Vec::new();
    let (result, plan) = case.merge();
    if std::env::var_os("KMERGE_BLESS").is_some() {
        std::fs::write(case.path("expected.yaml"), &result).unwrap();
    } else if result != case.expected {
        wrong.push(format!("gives\n{result}--- expected\n{}", case.expected));
    }
    if case.ideal.as_ref() == Some(&result) {
        wrong.push("gives the ideal result: move ideal.yaml to expected.yaml".to_owned());
    }
    let conflicts: Vec<String> = plan.conflicts.iter().map(|conflict| conflict.path.to_string()).collect();
    if conflicts != case.conflicts {
        wrong.push(format!("conflicts at {conflicts:?}"));
    }
    let decided = if case.base.is_some() { case::decided(&plan) } else { Vec::new() };
    if decided != case.decided {
        wrong.push(format!("was decided at {decided:?}"));
    }
    wrong.extend(laws::broken(case, &result, &plan));
    wrong
}

#[test]
fn merge2() {
    run("merge2");
}

#[test]
fn merge3() {
    run("merge3");
}
