//! `maskproxy completions` and `maskproxy man`, generated from the definitions of commands and settings.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::{Failure, print, run};
use crate::base::io_error;
use crate::config::manual;

/// `maskproxy completions`.
pub(super) fn completions_command() -> Command {
    Command::new("completions")
        .about("Prints completions for a shell")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .value_parser(value_parser!(Shell))
                .required(true)
                .help("The shell"),
        )
        .after_help(
            "Examples:\n  \
             source <(maskproxy completions bash)\n  \
             maskproxy completions fish > ~/.config/fish/completions/maskproxy.fish",
        )
}

/// `maskproxy man`.
pub(super) fn man_command() -> Command {
    Command::new("man")
        .about("Prints the manual page, or writes all pages to a directory")
        .arg(
            Arg::new("directory")
                .value_name("DIR")
                .value_parser(ValueParser::path_buf())
                .help(
                    "The directory to write the pages to; the page of the configuration file goes to the man5 next to \
                     it if it is called man1",
                ),
        )
        .after_help("Example:\n  maskproxy man ~/.local/share/man/man1")
}

/// Prints completions.
pub(super) fn completions(matches: &ArgMatches, mut all: Command) -> Result<ExitCode, Failure> {
    let Some(shell) = matches.get_one::<Shell>("shell") else {
        return Err(Failure::usage("no shell given"));
    };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut all, "maskproxy", &mut script);
    if *shell == Shell::Fish {
        script.extend(tools_for_fish().into_bytes());
    }
    print(|out| out.write_all(&script))
}

/// The tools for `run`: the generator for fish omits the values of positional arguments.
fn tools_for_fish() -> String {
    let tools: Vec<_> = run::tools().collect();
    let tools = tools.join(" ");
    format!(
        "complete -c maskproxy -n \"__fish_maskproxy_using_subcommand run\" -f -a \"{tools}\"\n"
    )
}

/// Prints or writes manual pages.
pub(super) fn man(matches: &ArgMatches, all: Command) -> Result<ExitCode, Failure> {
    let Some(directory) = matches.get_one::<PathBuf>("directory") else {
        return print(|out| clap_mangen::Man::new(all).render(out));
    };
    let cannot = |error: io::Error| {
        let reason = io_error::in_words(&error);
        Failure::new(format!("can't write to {}: {reason}", directory.display()))
    };
    std::fs::create_dir_all(directory).map_err(cannot)?;
    clap_mangen::generate_to(all, directory).map_err(cannot)?;
    let folder = of_files(directory);
    std::fs::create_dir_all(&folder).map_err(cannot)?;
    std::fs::write(folder.join(manual::NAME), manual::page()).map_err(cannot)?;
    Ok(ExitCode::SUCCESS)
}

/// Where section 5 of the manual belongs if the commands are in this directory: `man` looks for it next to `man1`.
fn of_files(of_commands: &Path) -> PathBuf {
    if of_commands.file_name() == Some(OsStr::new("man1")) {
        return of_commands.with_file_name("man5");
    }
    of_commands.to_owned()
}
