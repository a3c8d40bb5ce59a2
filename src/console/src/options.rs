//! How a console is started, and how it ends.

use std::path::PathBuf;

use flybridge_base::{Clock, Shutdown};
use flybridge_ui::terminal::TerminalError;
use flybridge_ui::{ColorLevel, Glyphs, Keymap, Theme};

use crate::action::Action;
use crate::catalog::{Catalog, CatalogError};
use crate::state::About;

/// Why a console ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ExitReason {
    /// The operator left.
    Quit,
    /// The terminal is gone: its line was cut, or its input ended.
    Hangup,
    /// SIGTERM.
    Terminated,
    /// SIGINT from outside; Ctrl-c is a key like any other.
    Interrupted,
    /// The program shuts down.
    Shutdown,
}

/// Why a console could not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The terminal cannot be used.
    #[error(transparent)]
    Terminal(#[from] TerminalError),
    /// The theme or keymap cannot be used.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// Signals cannot be received.
    #[error("cannot receive signals")]
    Signals(#[source] std::io::Error),
}

/// How a console looks and behaves.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Name of the context, as the operator knows it.
    pub context_name: String,
    /// What kind of plane it is, such as `in process` or an address.
    pub plane_label: String,
    /// Whether the client refuses writes; the console shows it.
    pub read_only: bool,
    /// Whether the control plane runs in this process, so that suspending is refused.
    pub in_process: bool,
    /// Name of the theme; nothing means `default`.
    pub theme: Option<String>,
    /// Name of the keymap; nothing means `default`.
    pub keymap: Option<String>,
    /// Folder with the operator's `themes/` and `keymaps/`.
    pub config_dir: Option<PathBuf>,
    /// Shows no colours whatever the terminal can do.
    pub no_color: bool,
    /// Draws with ASCII only; nothing means by locale.
    pub ascii: Option<bool>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            context_name: "default".to_owned(),
            plane_label: String::new(),
            read_only: false,
            in_process: false,
            theme: None,
            keymap: None,
            config_dir: None,
            no_color: false,
            ascii: None,
        }
    }
}

/// Everything a console needs.
pub struct Options {
    /// A client of the control plane.
    pub client: kube::Client,
    /// How it looks and behaves.
    pub setup: Setup,
    /// Time.
    pub clock: Clock,
    /// Ends the console from outside.
    pub shutdown: Shutdown,
    /// Called once the first frame is on the screen.
    pub first_frame: Option<Box<dyn FnOnce() + Send>>,
}

/// A theme, a keymap and glyphs that fit the terminal.
pub(crate) type Looks = (Theme, Keymap<Action>, Glyphs);

impl Setup {
    /// Loads the theme and keymap for a terminal described by environment variables.
    pub(crate) fn looks(
        &self,
        var: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(Catalog, Looks), CatalogError> {
        let level = if self.no_color {
            ColorLevel::None
        } else {
            ColorLevel::from_env(var)
        };
        let catalog = Catalog::new(self.config_dir.clone(), level);
        let theme = catalog.theme(self.theme.as_deref().unwrap_or("default"))?;
        let keymap = catalog.keymap(self.keymap.as_deref().unwrap_or("default"))?;
        let set = |name: &str| var(name).filter(|value| !value.is_empty());
        let locale = set("LC_ALL")
            .or_else(|| set("LC_CTYPE"))
            .or_else(|| set("LANG"));
        let glyphs = match self.ascii {
            Some(true) => flybridge_ui::glyphs::ASCII,
            Some(false) => flybridge_ui::glyphs::UNICODE,
            None => Glyphs::for_locale(&locale.unwrap_or_default()),
        };
        Ok((catalog, (theme, keymap, glyphs)))
    }

    pub(crate) fn about(&self) -> About {
        About {
            context: flybridge_ui::text::clean(&self.context_name).into_owned(),
            plane: flybridge_ui::text::clean(&self.plane_label).into_owned(),
            read_only: self.read_only,
            in_process: self.in_process,
        }
    }
}
