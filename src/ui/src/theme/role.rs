//! The roles a theme gives a look to.

macro_rules! roles {
    ($($variant:ident $name:literal $(< $parent:ident)?;)*) => {
        /// What a piece of the screen means.
        #[derive(Clone, Copy, Debug, Eq, PartialEq, Hash)]
        pub enum Role {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant,
            )*
        }

        impl Role {
            /// Every role; a role's position is its discriminant.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in theme files.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The role it looks like where a theme says nothing; it always comes earlier.
            pub const fn parent(self) -> Option<Self> {
                match self { $(Self::$variant => roles!(@parent $($parent)?)),* }
            }
        }
    };
    (@parent) => { None };
    (@parent $parent:ident) => { Some(Self::$parent) };
}

roles! {
    Text "text";
    Dim "dim" < Text;
    Faint "faint" < Dim;
    Strong "strong" < Text;
    Accent "accent" < Text;
    Title "title" < Strong;
    Border "border" < Faint;
    BorderFocus "border.focus" < Accent;

    Brand "brand" < Strong;
    Header "header" < Text;
    HeaderLabel "header.label" < Dim;
    BadgeInfo "badge.info" < Accent;
    BadgeWarn "badge.warn" < Accent;
    BadgeBad "badge.bad" < BadgeWarn;
    Tab "tab" < Dim;
    TabActive "tab.active" < Accent;
    Crumb "crumb" < Dim;
    CrumbActive "crumb.active" < Strong;

    StateOk "state.ok" < Text;
    StateWarn "state.warn" < Strong;
    StateBad "state.bad" < StateWarn;
    StateMoving "state.moving" < Accent;
    StateUnknown "state.unknown" < Dim;
    StateStale "state.stale" < Dim;

    TableHeader "table.header" < Dim;
    TableHeaderSort "table.header.sort" < Accent;
    Selection "selection";
    Match "match";
    Cluster "cluster" < Accent;
    Namespace "namespace" < Dim;
    Kind "kind" < Dim;
    Number "number" < Text;

    GaugeLow "gauge.low" < StateOk;
    GaugeMid "gauge.mid" < StateWarn;
    GaugeHigh "gauge.high" < StateBad;
    GaugeRest "gauge.rest" < Faint;
    Spark "spark" < Accent;

    HintKey "hint.key" < Accent;
    HintText "hint.text" < Dim;
    Status "status" < Dim;
    StatusStrong "status.strong" < Text;
    ToastInfo "toast.info" < Accent;
    ToastWarn "toast.warn" < StateWarn;
    ToastError "toast.error" < StateBad;

    Dialog "dialog" < Text;
    DialogBorder "dialog.border" < BorderFocus;
    Button "button" < Dim;
    ButtonFocus "button.focus" < Selection;
    Prompt "prompt" < Text;
    PromptMark "prompt.mark" < Accent;
    PromptError "prompt.error" < StateBad;
    PromptGhost "prompt.ghost" < Faint;

    YamlKey "yaml.key" < Accent;
    YamlString "yaml.string" < Text;
    YamlNumber "yaml.number" < Text;
    YamlBool "yaml.bool" < YamlNumber;
    YamlNull "yaml.null" < Dim;
    YamlComment "yaml.comment" < Dim;
    YamlPunct "yaml.punct" < Dim;
    YamlBlock "yaml.block" < YamlString;

    LogTime "log.time" < Dim;
    LogText "log.text" < Text;
    LogError "log.error" < StateBad;
    LogWarn "log.warn" < StateWarn;
    LogDebug "log.debug" < Dim;
    LogMarker "log.marker" < Accent;

    ExplainPass "explain.pass" < StateOk;
    ExplainFail "explain.fail" < StateBad;
    ExplainSkip "explain.skip" < Faint;
    ExplainReason "explain.reason" < Text;
    ExplainPick "explain.pick" < Strong;
}

impl Role {
    /// The role with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_names_are_unique() {
        for role in Role::ALL {
            if let Some(parent) = role.parent() {
                assert!((parent as usize) < (*role as usize), "{}", role.name());
            }
            assert_eq!(Role::named(role.name()), Some(*role));
        }
    }
}
