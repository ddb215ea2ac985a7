//! Macros that declare settings, each of which is a command-line option and a key in files.

/// Declares a struct of settings with defaults: each field is a command-line option, with its
/// comment as help, and a key in files.
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

/// Declares an enum for a setting whose value is a name with optional numbers (`tournament:5`).
#[macro_export]
macro_rules! kinds {
    (
        $(#[$of_enum:meta])*
        pub enum $Enum:ident {
            $($(#[$of_kind:meta])* $Kind:ident = $name:literal $({
                $($(#[$of_number:meta])* $number:ident: $Type:ty = $default:expr,)+
            })?,)+
        }
    ) => {
        $(#[$of_enum])*
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "kind", deny_unknown_fields)]
        pub enum $Enum {
            $($(#[$of_kind])* #[serde(rename = $name)] $Kind $({
                $($(#[$of_number])* $number: $Type,)+
            })?,)+
        }

        impl $Enum {
            /// Names of all possible values of the setting, such as `tournament`, without numbers.
            pub const KINDS: [&'static str; [$($name),+].len()] = [$($name),+];
        }

        impl std::str::FromStr for $Enum {
            type Err = String;

            fn from_str(text: &str) -> std::result::Result<$Enum, String> {
                let mut words = text.split(':');
                let found = match words.next().unwrap_or_default() {
                    $($name => $Enum::$Kind $({ $($number: match words.next() {
                        None => $default,
                        Some(word) => word.parse().map_err(|_| {
                            format!("'{word}' is no {}", stringify!($number).replace('_', "-"))
                        })?,
                    },)+ })?,)+
                    _ => return Err(format!("use one of {}", $Enum::KINDS.join(", "))),
                };
                words.next().map_or(Ok(found), |more| Err(format!("leave out ':{more}'")))
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($Enum::$Kind $({ $($number),+ })? => {
                        f.write_str($name)?;
                        $($(write!(f, ":{}", $number)?;)+)?
                    })+
                }
                Ok(())
            }
        }
    };
}
