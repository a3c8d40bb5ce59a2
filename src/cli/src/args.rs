//! The command line's grammar.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// A terminal operations console for fleets of Kubernetes clusters.
///
/// Without a command, attaches the console to the control plane of the data directory, and starts
/// one in the background if none runs.
#[derive(Debug, Parser)]
#[command(
    name = "flybridge",
    version,
    about,
    long_about,
    disable_help_subcommand = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) console: ConsoleArgs,
    #[command(flatten)]
    pub(crate) attach: AttachArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start an ephemeral control plane with a simulated fleet and open the console on it
    Demo(DemoArgs),
    /// Run a durable control plane without a console
    Serve(ServeArgs),
    /// Print the administrator's kubeconfig of a data directory
    Kubeconfig(KubeconfigArgs),
    /// List objects of the control plane or of member clusters
    Get(GetArgs),
    /// Print the version
    Version(VersionArgs),
    /// Print a shell completion script
    Completion {
        /// The shell to complete in
        shell: clap_complete::Shell,
    },
}

/// How the console looks and what it may do.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct ConsoleArgs {
    /// Theme name, or path of a theme file
    #[arg(long, env = "FLYBRIDGE_THEME", global = true, value_name = "NAME")]
    pub(crate) theme: Option<String>,
    /// Keymap name, or path of a keymap file
    #[arg(long, env = "FLYBRIDGE_KEYMAP", global = true, value_name = "NAME")]
    pub(crate) keymap: Option<String>,
    /// Refuse every write, in the transport
    #[arg(long, env = "FLYBRIDGE_READONLY", global = true)]
    pub(crate) read_only: bool,
}

#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct AttachArgs {
    /// Data directory of the control plane to attach to
    #[arg(long, env = "FLYBRIDGE_DATA_DIR", value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Attach to the control plane that this kubeconfig names instead
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig
    #[arg(long, value_name = "NAME", requires = "kubeconfig")]
    pub(crate) context: Option<String>,
    /// Leave a background control plane running after the last console quits
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DemoArgs {
    /// Number of simulated member clusters
    #[arg(long, default_value_t = 6, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=200))]
    pub(crate) clusters: u16,
    /// Seed of everything random in the simulation
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub(crate) seed: u64,
    /// Keep state here instead of in memory
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Run without a console: print `ready kubeconfig=PATH` when all members are Ready
    #[arg(long)]
    pub(crate) no_console: bool,
    /// Do not apply the sample workloads and policies
    #[arg(long)]
    pub(crate) no_samples: bool,
    /// Address of the API server; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDR")]
    pub(crate) listen: SocketAddr,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    /// Where state is kept
    #[arg(long, env = "FLYBRIDGE_DATA_DIR", value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Address of the API server; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:7443", value_name = "ADDR")]
    pub(crate) listen: SocketAddr,
    /// Also run this many simulated member clusters
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=200))]
    pub(crate) sim_clusters: u16,
    /// Seed of everything random in the simulation
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub(crate) seed: u64,
    /// Stop when the last attached console quits
    #[arg(long, hide = true)]
    pub(crate) until_unattended: bool,
    /// Leave the session of the terminal that started this
    #[arg(long, hide = true)]
    pub(crate) own_session: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct KubeconfigArgs {
    /// Data directory of the control plane
    #[arg(long, env = "FLYBRIDGE_DATA_DIR", value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Print the file's path instead of its content
    #[arg(long)]
    pub(crate) path: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GetArgs {
    /// Kind of object: plural, singular or short name, with an optional `.group`
    pub(crate) resource: String,
    /// Name of one object
    pub(crate) name: Option<String>,
    /// Namespace; `default` if not given
    #[arg(short, long)]
    pub(crate) namespace: Option<String>,
    /// All namespaces
    #[arg(short = 'A', long)]
    pub(crate) all_namespaces: bool,
    /// Label selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub(crate) selector: Option<String>,
    /// Member clusters to ask instead of the control plane: names, or `all`
    #[arg(short = 'C', long, value_name = "CLUSTER", value_delimiter = ',')]
    pub(crate) clusters: Vec<String>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
    /// Data directory of the control plane
    #[arg(long, env = "FLYBRIDGE_DATA_DIR", value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Ask the control plane that this kubeconfig names
    #[arg(long, env = "KUBECONFIG", value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct VersionArgs {
    /// Output format
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Columns
    Table,
    /// More columns
    Wide,
    /// JSON
    Json,
    /// YAML
    Yaml,
    /// `resource/name`, one a line
    Name,
}
