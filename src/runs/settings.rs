//! Declares structs of settings.

/// Declares settings with the default of each; without one, it is `None` or `false`. A setting is
/// an option of the command, a key of a settings file and an entry of the output's files; its
/// documentation is the help of the option.
#[macro_export]
macro_rules! settings {
    (@default) => { Default::default() };
    (@default $default:expr) => { $default };
    (
        $(#[$of_struct:meta])*
        pub struct $Settings:ident {
            $($(#[$of_field:meta])* pub $field:ident: $Type:ty $(= $default:expr)?,)+
        }
    ) => {
        $(#[$of_struct])*
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, clap::Args)]
        #[serde(default, deny_unknown_fields)]
        pub struct $Settings {
            $($(#[$of_field])* #[arg(long $(, default_value_t = $default)?)] pub $field: $Type,)+
        }

        impl Default for $Settings {
            fn default() -> Self {
                $Settings { $($field: $crate::settings!(@default $($default)?)),+ }
            }
        }
    };
}
