//! `promptc agent skills`.

mod human;

use crate::cli::format::Format;
use crate::cli::ui::{Page, answer};
use crate::cli::{Context, given::BuildArgs};
use crate::compile::{self, Skill, SkillStatus, Skills};
use crate::diagnostic::{self, Diagnostic, Diagnostics, ErrorReported, suggest};
use crate::project::Run;
use crate::prompt::Notice;
use crate::world::World;
use clap::Subcommand;

use crate::report::skills as json;
pub(in crate::cli) use crate::report::skills::Report as JsonReport;

/// List the skills that a manifest finds, or show one
///
/// Skills are found and filtered as for the prompt: `allow`, `deny`, `hide`, `where` and `shadow` apply, and `show` shows only
/// skills of the index. The conditions of their layer do not apply.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  promptc agent skills list                    # those of promptc.kdl here or above
  promptc agent skills list --format json      # for programs
  promptc agent skills show tide-table         # the text of the skill
  promptc agent skills show tide-table --file references/gauge.md  # a file next to it")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List all skills: those in the index, and the others with the reason
    #[command(after_help = "\
Examples:
  promptc agent skills list
  promptc agent skills list --root skills=home/skills
  promptc agent skills list -m builtin:hermes@1 --root home=home --format json")]
    List(ListArgs),
    /// Show a skill of the index, or a file of its folder
    #[command(after_help = "\
Examples:
  promptc agent skills show tide-table
  promptc agent skills show tide-table --file references/gauge.md
  promptc agent skills show tide-table --format json    # with its metadata and files")]
    Show(ShowArgs),
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    #[command(flatten)]
    of: Of,
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// Its name in the index
    #[arg(value_name = "NAME")]
    name: String,
    /// A file of its folder, as a path inside it, instead of its own document
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// The output format; for a file of its folder, `human` is exactly its text
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    #[command(flatten)]
    of: Of,
}

/// The skills to show.
#[derive(Debug, clap::Args)]
struct Of {
    /// The layer of the source [default: the only one that reads skills]
    #[arg(long, value_name = "LAYER")]
    layer: Option<String>,
    #[command(flatten)]
    given: BuildArgs,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &mut Context) -> Result<(), ErrorReported> {
    match &args.what {
        What::List(args) => list(args, context),
        What::Show(args) => show(args, context),
    }
}

fn list(args: &ListArgs, context: &mut Context) -> Result<(), ErrorReported> {
    let world = args.of.given.world();
    let (layer, skills) = args.of.open(world.as_ref(), &mut context.run)?;
    let (all, notices) = skills.all(world.as_ref(), &mut context.run.diags)?;
    let text = match args.format {
        Format::Human => context.ui.drawn(&human::list(&all)),
        Format::Json => answer::page(&json::list(&layer, &all)),
    };
    context.ui.result(&text, &mut context.run.diags)?;
    context.ui.notices(&notices);
    Ok(())
}

fn show(args: &ShowArgs, context: &mut Context) -> Result<(), ErrorReported> {
    let world = args.of.given.world();
    let world = world.as_ref();
    let (layer, skills) = args.of.open(world, &mut context.run)?;
    let diags = &mut context.run.diags;
    let (all, _) = skills.all(world, diags)?;
    let skill = named(&args.name, &all, diags)?;
    let beside = match &args.file {
        Some(file) => Some((file, skills.beside(skill, file, world, diags)?)),
        None => None,
    };
    match (args.format, &beside) {
        (Format::Human, beside) => {
            let text = match beside {
                Some((_, (beside, _))) => beside.document.text.as_str().to_owned(),
                None => human::show(skill),
            };
            context
                .ui
                .product(&text, Page::foreign, &mut context.run.diags)?;
        }
        (Format::Json, Some((file, (beside, _)))) => {
            let page = answer::page(&json::beside(&layer, skill, file, beside));
            context.ui.result(&page, &mut context.run.diags)?;
        }
        (Format::Json, None) => {
            let files = skills.files(skill, world, diags)?;
            let page = answer::page(&json::show(&layer, skill, &files));
            context.ui.result(&page, &mut context.run.diags)?;
        }
    }
    let notices: Vec<Notice> = beside.into_iter().flat_map(|(_, (_, told))| told).collect();
    context.ui.notices(&notices);
    Ok(())
}

impl Of {
    /// The name of the layer, and its skills.
    fn open(&self, world: &dyn World, run: &mut Run) -> Result<(String, Skills), ErrorReported> {
        let given = self.given.given(world, &mut run.diags);
        let manifest = self.given.open(world, run)?;
        let Run { files, diags, .. } = &mut *run;
        let plan = compile::prepare(&manifest, &given, world, files, diags)?;
        let layer = self.layer_of(&Skills::layers(&plan), diags)?;
        match Skills::bind(plan, &layer, &given, world, diags)? {
            Some(skills) => Ok((layer, skills)),
            None => Err(diags.push(no_skills())),
        }
    }

    fn layer_of(
        &self,
        layers: &[String],
        diags: &mut Diagnostics,
    ) -> Result<String, ErrorReported> {
        let names = || layers.iter().map(String::as_str);
        let found = match (&self.layer, layers) {
            (_, []) => no_skills(),
            (None, [one]) => return Ok(one.clone()),
            (None, _) => {
                let message = format!("the layers {} read skills", suggest::list(names()));
                Diagnostic::error(diagnostic::SEVERAL_SKILLS, message)
                    .help("name one of them with --layer NAME")
            }
            (Some(name), _) if layers.contains(name) => return Ok(name.clone()),
            (Some(name), _) => {
                let message = format!("there is no layer `{name}` that reads skills");
                let found = Diagnostic::error(diagnostic::UNKNOWN_LAYER, message);
                match suggest::nearest(name, names()) {
                    Some(near) => found.help(format!("did you mean `{near}`?")),
                    None => found.help(format!("these do: {}", suggest::list(names()))),
                }
            }
        };
        Err(diags.push(found))
    }
}

fn no_skills() -> Diagnostic {
    let message = "no layer of the manifest reads skills";
    Diagnostic::error(diagnostic::NO_SKILLS, message)
        .help("write `skills \"DIR\"` in a layer, with the folder that contains them")
}

/// The first listed skill of that name.
fn named<'s>(
    name: &str,
    all: &'s [Skill],
    diags: &mut Diagnostics,
) -> Result<&'s Skill, ErrorReported> {
    let listed = |skill: &&Skill| skill.fate == SkillStatus::Listed;
    let same = |skill: &&Skill| *skill.document.name == *name;
    if let Some(skill) = all.iter().filter(listed).find(same) {
        return Ok(skill);
    }
    let found = match all.iter().find(same) {
        Some(skill) => {
            let message = format!(
                "the skill `{name}` is not listed: {}",
                human::reason(&skill.fate)
            );
            Diagnostic::error(diagnostic::SKILL_NOT_LISTED, message)
                .help("`promptc agent skills list` shows the status of each")
        }
        None => {
            let names = || all.iter().filter(listed).map(|s| &*s.document.name);
            let message = format!("there is no skill `{name}`");
            let found = Diagnostic::error(diagnostic::UNKNOWN_SKILL, message);
            match suggest::nearest(name, names()) {
                Some(near) => found.help(format!("did you mean `{near}`?")),
                None => found.help("`promptc agent skills list` lists them"),
            }
        }
    };
    Err(diags.push(found))
}
