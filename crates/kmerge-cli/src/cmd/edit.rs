//! `kmerge edit`: scripts of edits over many files, all or none.

use kmerge_core::edit::{Options, Script, ScriptError, ScriptErrorKind};
use kyaml_ast::Span;

use crate::cli::edit::EditArgs;
use crate::diagnostic::{Code, Diagnostic};
use crate::edits::{Flags, Inputs, Job, Texts};
use crate::exit::Exit;
use crate::input::Source;
use crate::merge_files::only_one_is_stdin;
use crate::{options, place};

pub(crate) fn run(args: &EditArgs) -> anyhow::Result<Exit> {
    only_one_is_stdin(args.scripts.iter().chain(&args.inputs))?;
    let mut sources = args.scripts.iter().map(|path| Source::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    sources.extend(args.statements.iter().map(|text| Source::new("-e", text.as_str())));
    let (mut script, mut origins) = (Script::default(), Vec::new());
    for (index, source) in sources.iter().enumerate() {
        let parsed = Script::parse(&source.text).map_err(|error| no_script(&error, source))?;
        origins.extend(parsed.actions().map(|_| index));
        script.append(parsed);
    }
    anyhow::ensure!(!script.is_empty(), "there is nothing to do: add -e STATEMENT or -f SCRIPT");
    let schema = options::schema(&args.schema)?;
    let mut plan = Options::new(&schema);
    plan.select = place::selectors(&args.select)?;
    plan.create = args.create;
    plan.ignore_missing = args.ignore_missing;
    let job = Job { script, options: plan, texts: Texts::Scripts { sources, origins } };
    let inputs = Inputs::read(&args.inputs)?;
    inputs.tell_templates()?;
    let plans = job.plans(&inputs)?;
    let tally = job.tally(&plans, &args.select, args.expect)?;
    let exit = job.deliver(&inputs, &plans, Flags { target: &args.target, say: &args.say })?;
    if !args.say.quiet {
        tally.tell(inputs.sources.len())?;
    }
    Ok(exit)
}

fn no_script(error: &ScriptError, source: &Source) -> Diagnostic {
    let code = match error.kind {
        ScriptErrorKind::Path(_) => Code::Path,
        ScriptErrorKind::EmptySelector
        | ScriptErrorKind::Selector
        | ScriptErrorKind::Labels
        | ScriptErrorKind::Condition => Code::Selection,
        _ => Code::Syntax,
    };
    Diagnostic::error(code, error.kind.to_string()).at(source, Span::at(error.at as u32), "")
}
