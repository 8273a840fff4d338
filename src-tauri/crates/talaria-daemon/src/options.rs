//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use talaria_protocol::ApprovalMode;

/// Talaria's agent without a window.
#[derive(Debug, Parser)]
#[command(name = "talariad", version, disable_help_subcommand = true, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  talariad run --model demo start
      A scripted walk through the tools on a sample project; nothing is sent anywhere
  talariad run --base-url http://127.0.0.1:11434/v1 --model qwen3:8b \"why does the test fail?\"
      A task for a model on this computer, in the current folder
  talariad sessions list
      What was done so far

Settings, chats and logs lie in TALARIA_HOME (default: ~/.talaria). The default model stands there in config.yaml:
  model:
    default: NAME
    base_url: URL
    api_key_env: VAR";

const RUN_HELP: &str = "\
The answer goes to standard output, the steps to standard error. Ctrl-C stops the task; twice stops it at once.

With --json, each line of standard output is an event {type, session_id, seq, payload}; the last one is
  {\"type\":\"result\",\"status\":\"completed|failed|denied|interrupted\",\"final_response\",\"session_id\",\"api_calls\",
   \"exit_reason\",\"usage\",\"error\"}

Exit code: 0 completed, 1 failed, 2 wrong usage, 3 an approval was needed and nobody could be asked, 130 interrupted.

A task that begins with - is written after --, for example: talariad run -- \"- tidy up\"";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Work on one task and report.
    #[command(after_long_help = RUN_HELP)]
    Run(RunOptions),
    /// Show the tools as a model gets them.
    Tools(ToolsOptions),
    /// Run one tool without a model.
    Tool(ToolOptions),
    /// Look at stored sessions.
    Sessions(SessionsOptions),
    /// Speak the protocol on standard input and output.
    Serve(ServeOptions),
}

/// Who answers approvals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Approvals {
    /// Ask on the terminal; without one, deny.
    #[default]
    Ask,
    /// Deny whatever needs an answer.
    Deny,
    /// Run everything but what is always blocked.
    Auto,
}

impl Approvals {
    /// Mode of the session.
    pub fn mode(self) -> ApprovalMode {
        match self {
            Approvals::Ask | Approvals::Deny => ApprovalMode::Ask,
            Approvals::Auto => ApprovalMode::Auto,
        }
    }
}

/// Options of `run`.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// Folder to work in. Default: the current one; a stored session keeps its own.
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Base address of a server that speaks Chat Completions, such as http://127.0.0.1:11434/v1.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Model id; `demo` is the built-in scripted demo. Default: the configured model.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Environment variable that holds the API key.
    #[arg(long, value_name = "VAR")]
    pub api_key_env: Option<String>,
    /// Who answers approvals.
    #[arg(long, value_enum, default_value_t)]
    pub approvals: Approvals,
    /// Go on with a stored session; the beginning of its id is enough.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Limit of model calls for this task. Default: `agent.max_turns` of the settings.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_iterations: Option<u32>,
    /// One JSON event a line, the result last.
    #[arg(long)]
    pub json: bool,
    /// The task; `-` reads standard input.
    #[arg(value_name = "PROMPT")]
    pub prompt: String,
}

/// Options of `tools`.
#[derive(Debug, Args)]
pub struct ToolsOptions {
    /// What to do.
    #[command(subcommand)]
    pub command: ToolsCommand,
}

/// What to do with tools.
#[derive(Debug, Subcommand)]
pub enum ToolsCommand {
    /// List the definitions.
    List {
        /// Exactly as a model gets them.
        #[arg(long)]
        json: bool,
    },
}

/// Options of `tool`.
#[derive(Debug, Args)]
pub struct ToolOptions {
    /// What to do.
    #[command(subcommand)]
    pub command: ToolCommand,
}

/// What to do with one tool.
#[derive(Debug, Subcommand)]
pub enum ToolCommand {
    /// Call it, through the whole dispatch path. Exit code: 0 done, 1 failed, 2 wrong usage, 3 an approval was needed and
    /// nobody could be asked, 130 interrupted.
    Call(ToolCallOptions),
}

/// Options of `tool call`.
#[derive(Debug, Args)]
pub struct ToolCallOptions {
    /// Name of the tool.
    pub name: String,
    /// Arguments as a JSON object; `-` reads standard input.
    #[arg(value_name = "JSON")]
    pub arguments: String,
    /// Folder to work in (default: the current one).
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Who answers approvals.
    #[arg(long, value_enum, default_value_t)]
    pub approvals: Approvals,
    /// Call it this many times.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Print `N.NNN ms` after each call.
    #[arg(long)]
    pub time: bool,
}

/// Options of `sessions`.
#[derive(Debug, Args)]
pub struct SessionsOptions {
    /// What to do.
    #[command(subcommand)]
    pub command: SessionsCommand,
}

/// What to do with sessions.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List them, newest first.
    List {
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
        /// How many at most.
        #[arg(long, default_value_t = 50)]
        limit: u32,
    },
    /// Show one as text.
    Show {
        /// Id of the session, or its beginning.
        id: String,
        /// The rows as JSON, one a line.
        #[arg(long)]
        json: bool,
    },
    /// Write one as JSON to standard output.
    Export {
        /// Id of the session, or its beginning.
        id: String,
    },
    /// Delete one for good, at once.
    Delete {
        /// Id of the session, in full.
        id: String,
    },
}

/// Options of `serve`.
#[derive(Debug, Args)]
pub struct ServeOptions {
    /// One frame a line on standard input and output.
    #[arg(long, required = true)]
    pub stdio: bool,
}
