//! Everything the console can do, in one table.
//!
//! Keymap files, the palette, hints, help and availability all read [`SPECS`]; an action that is
//! not in the table does not exist.

use std::fmt;

use crate::panes::Pane;

/// Where help lists an action.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub(crate) enum Section {
    Go,
    Look,
    List,
    Logs,
    Console,
    Prompt,
}

impl Section {
    /// All sections, as help orders them; those of prompts are not listed.
    pub(crate) const LISTED: [Self; 5] =
        [Self::Look, Self::Go, Self::List, Self::Logs, Self::Console];

    /// The heading in help.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Go => "Go",
            Self::Look => "Look closer",
            Self::List => "Lists",
            Self::Logs => "Logs",
            Self::Console => "Console",
            Self::Prompt => "Prompts",
        }
    }
}

/// What must be on the screen for an action to make sense.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Needs {
    Nothing,
    /// A list.
    List,
    /// A row under the cursor that stands for an object.
    Object,
    /// A binding under the cursor.
    Binding,
    /// A pod under the cursor.
    Pod,
    /// Something that can be filtered.
    Filter,
    /// A cluster under the cursor.
    Cluster,
    /// The log view.
    Logs,
    /// The explanation.
    Explain,
    /// An open prompt or dialog.
    Prompt,
}

/// What the table says of an action.
#[derive(Debug)]
pub(crate) struct Spec {
    /// Name in keymaps and in the palette.
    pub(crate) id: &'static str,
    /// Name of its argument; empty if it takes none.
    pub(crate) argument: &'static str,
    pub(crate) section: Section,
    pub(crate) needs: Needs,
    /// One line, in the imperative.
    pub(crate) doc: &'static str,
}

/// A value an action takes.
trait Argument: Sized + fmt::Display {
    const NAME: &'static str;
    fn read(text: &str) -> Option<Self>;
}

impl Argument for String {
    const NAME: &'static str = "text";

    fn read(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| text.to_owned())
    }
}

impl Argument for Pane {
    const NAME: &'static str = "pane";

    fn read(text: &str) -> Option<Self> {
        Self::named(text)
    }
}

macro_rules! actions {
    ($($variant:ident $(($argument:ty))? $id:literal $section:ident $needs:ident $doc:literal;)*) => {
        /// One thing to do.
        #[derive(Clone, Debug, Eq, PartialEq)]
        pub(crate) enum Action {
            $($variant $(($argument))?,)*
        }

        /// The table.
        pub(crate) const SPECS: &[Spec] = &[
            $(Spec {
                id: $id,
                argument: actions!(@name $($argument)?),
                section: Section::$section,
                needs: Needs::$needs,
                doc: $doc,
            },)*
        ];

        #[derive(Clone, Copy)]
        enum Position { $($variant,)* }

        impl Action {
            /// Its line in the table.
            pub(crate) fn spec(&self) -> &'static Spec {
                let position = match self { $(Self::$variant { .. } => Position::$variant,)* };
                &SPECS[position as usize]
            }

            fn read(id: &str, argument: &str) -> Option<Result<Self, String>> {
                match id {
                    $($id => Some(actions!(@read $variant argument $($argument)?)),)*
                    _ => None,
                }
            }

            fn argument_text(&self) -> Option<String> {
                match self {
                    $(actions!(@pattern $variant value $($argument)?) =>
                        actions!(@text value $($argument)?),)*
                }
            }
        }
    };
    (@name) => { "" };
    (@name $argument:ty) => { <$argument as Argument>::NAME };
    (@pattern $variant:ident $value:ident) => { Self::$variant };
    (@pattern $variant:ident $value:ident $argument:ty) => { Self::$variant($value) };
    (@text $value:ident) => { None };
    (@text $value:ident $argument:ty) => { Some($value.to_string()) };
    (@read $variant:ident $text:ident) => {
        if $text.is_empty() {
            Ok(Self::$variant)
        } else {
            Err("takes no argument".to_owned())
        }
    };
    (@read $variant:ident $text:ident $argument:ty) => {
        <$argument as Argument>::read($text)
            .map(Self::$variant)
            .ok_or_else(|| format!("needs a {}", <$argument as Argument>::NAME))
    };
}

actions! {
    Open "open" Look Object "open what is under the cursor";
    Explain "explain" Look Binding "explain why a binding is placed where it is";
    Yaml "yaml" Look Object "show the object as YAML";
    Logs "logs" Look Pod "show a pod's logs";
    PreviousLogs "previous-logs" Look Pod "show the logs of the previous container";
    Bindings "bindings" Look Cluster "list the bindings of a cluster";
    Pods "pods" Look Object "list the pods of what is under the cursor";
    Detail "detail" Look Nothing "show or hide details, or turn to the next kind";
    Copy "copy" Look Object "copy the name to the clipboard";

    Goto(Pane) "goto" Go Nothing "go to a pane";
    NextPane "next-pane" Go Nothing "go to the next pane";
    PreviousPane "previous-pane" Go Nothing "go to the previous pane";
    Last "last" Go Nothing "go to the pane shown before";
    Back "back" Go Nothing "clear the filter, or go back";
    Leave "leave" Go Nothing "go back; at the root, leave the console";
    Down "down" Go Nothing "move down";
    Up "up" Go Nothing "move up";
    HalfDown "half-down" Go Nothing "move down half a page";
    HalfUp "half-up" Go Nothing "move up half a page";
    PageDown "page-down" Go Nothing "move down a page";
    PageUp "page-up" Go Nothing "move up a page";
    Top "top" Go Nothing "go to the top";
    Bottom "bottom" Go Nothing "go to the bottom";

    Filter "filter" List Filter "filter by pattern, column, cluster or state";
    ClearFilter "clear-filter" List Filter "show all rows again";
    Attention "attention" List Nothing "show only what needs attention";
    Namespace(String) "namespace" List Nothing "show one namespace: by name, number, or all";
    Namespaces "namespaces" List Nothing "choose a namespace";
    Sort(String) "sort" List List "sort by a column; again to turn around";
    SortNext "sort-next" List List "sort by the next column";
    SortPrevious "sort-previous" List List "sort by the previous column";
    Failing "failing" List Explain "show only clusters that do not fit";

    Follow "follow" Logs Logs "follow the end, or stay";
    Wrap "wrap" Logs Logs "wrap long lines";
    Times "times" Logs Logs "show times";
    Since "since" Logs Logs "start from further back";
    Container "container" Logs Logs "show the next container";
    Clear "clear" Logs Logs "forget the lines so far";

    Palette "palette" Console Nothing "open the command palette";
    Help "help" Console Nothing "show the keys";
    Messages "messages" Console Nothing "show past messages";
    Theme(String) "theme" Console Nothing "change the theme";
    Refresh "refresh" Console Nothing "start all watches again";
    Suspend "suspend" Console Nothing "suspend the console";
    Interrupt "interrupt" Console Nothing "cancel, or ask to quit";
    Quit "quit" Console Nothing "leave the console";

    Accept "accept" Prompt Prompt "do it";
    Cancel "cancel" Prompt Prompt "close without doing it";
    Complete "complete" Prompt Prompt "complete what is typed";
    NextItem "next-item" Prompt Prompt "go to the next item";
    PreviousItem "previous-item" Prompt Prompt "go to the previous item";
    Yes "yes" Prompt Prompt "answer yes";
}

impl Action {
    /// Reads an action as keymaps and the palette write it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (id, argument) = text
            .trim()
            .split_once(' ')
            .unwrap_or_else(|| (text.trim(), ""));
        match Self::read(id, argument.trim()) {
            None => Err(format!("there is no command {id:?}")),
            Some(read) => read.map_err(|why| format!("{id} {why}")),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec().id)?;
        match self.argument_text() {
            Some(argument) => write!(f, " {argument}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_written_as_they_are_read() {
        for text in ["quit", "goto clusters", "sort cpu", "namespace kube-system"] {
            assert_eq!(Action::parse(text).unwrap().to_string(), text);
        }
        for spec in SPECS.iter().filter(|spec| spec.argument.is_empty()) {
            assert_eq!(Action::parse(spec.id).unwrap().spec().id, spec.id);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "fly", "goto", "goto nowhere", "quit now", "sort"] {
            assert!(Action::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn ids_are_unique_and_documented() {
        let mut ids: Vec<&str> = SPECS.iter().map(|spec| spec.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), SPECS.len());
        assert!(
            SPECS
                .iter()
                .all(|spec| !spec.doc.is_empty() && !spec.doc.ends_with('.'))
        );
    }
}
