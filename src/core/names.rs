//! Declares enums whose variants have names in files and on the command line.

/// Declares an enum without fields, and a name for each variant in files and on the command line.
/// Every crate of the project can use this macro as `tetrastat_core::names!`.
///
/// The macro writes the constants `ALL` and `NAMES`, the methods `name` and `named`, and `Display`.
/// With `as "noun"` it also writes `FromStr`, whose error message contains the noun and all names.
/// An enum that needs another parser omits `as` and implements `FromStr` with the method `named`.
///
/// ```
/// tetrastat_core::names! {
///     /// The state of a door.
///     #[derive(Clone, Copy, Debug, PartialEq, Eq)]
///     pub enum Door as "state of a door" {
///         /// People can enter.
///         Open = "open",
///         /// Nobody can enter.
///         Closed = "closed",
///     }
/// }
/// assert_eq!("closed".parse::<Door>()?, Door::Closed);
/// assert_eq!((Door::Open.to_string(), Door::NAMES), ("open".to_owned(), ["open", "closed"]));
/// let refused = "shut".parse::<Door>().unwrap_err().to_string();
/// assert_eq!(refused, "unknown state of a door 'shut': use one of open, closed");
/// # Ok::<(), tetrastat_core::error::Error>(())
/// ```
#[macro_export]
macro_rules! names {
    (
        $(#[$of_enum:meta])*
        $visibility:vis enum $Enum:ident $(as $what:literal)? {
            $($(#[$of_variant:meta])* $Variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$of_enum])*
        $visibility enum $Enum {
            $($(#[$of_variant])* $Variant,)+
        }

        #[allow(dead_code, unreachable_pub)]
        impl $Enum {
            /// All variants, in the order of their declaration.
            pub const ALL: [$Enum; [$($name),+].len()] = [$($Enum::$Variant),+];
            /// Names of all variants, in the order of their declaration.
            pub const NAMES: [&'static str; [$($name),+].len()] = [$($name),+];

            /// Returns the variant's name, as written in files and on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($Enum::$Variant => $name,)+
                }
            }

            /// Returns the variant called `name`, or `None` if no variant has that name.
            #[must_use]
            pub fn named(name: &str) -> Option<$Enum> {
                $Enum::ALL.into_iter().find(|variant| variant.name() == name)
            }
        }

        impl ::std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        $(impl ::std::str::FromStr for $Enum {
            type Err = $crate::error::Error;

            fn from_str(name: &str) -> $crate::error::Result<$Enum> {
                let unknown = || $crate::error::Error::unknown($what, name, $Enum::NAMES);
                $Enum::named(name).ok_or_else(unknown)
            }
        })?
    };
}
