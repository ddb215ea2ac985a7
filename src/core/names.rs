//! Declares enums whose variants have names in files and on the command line, and the forms of
//! values in JSON. Functions return the errors of the serialiser or the parser.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

/// Declares an enum without fields, and a name for each variant in files and on the command line.
///
/// The macro writes `ALL`, `NAMES`, `name`, `named` and `Display`. With `as "noun"` it also writes
/// `FromStr`, whose error message has the noun and all names.
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
            /// All variants of the enum, in the order of their declaration.
            pub const ALL: [$Enum; [$($name),+].len()] = [$($Enum::$Variant),+];
            /// Names of all variants of the enum, in the order of their declaration.
            pub const NAMES: [&'static str; [$($name),+].len()] = [$($name),+];

            /// Returns the name of the enum's variant in files and on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($Enum::$Variant => $name,)+
                }
            }

            /// Returns the enum's variant called `name`, or `None` if no variant has that name.
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

/// Implements serde's traits for types that files store as text. `Display` (or the method after
/// `by`) writes the text, `FromStr` reads it.
#[macro_export]
macro_rules! by_text {
    ($($Type:ident $(by $text:ident)?),+ $(,)?) => {$(
        impl ::serde::Serialize for $Type {
            fn serialize<S: ::serde::Serializer>(
                &self,
                to: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                to.collect_str(&self$(.$text())?)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $Type {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                from: D,
            ) -> ::std::result::Result<$Type, D::Error> {
                let text: String = ::serde::Deserialize::deserialize(from)?;
                text.parse().map_err(::serde::de::Error::custom)
            }
        }
    )+};
}

/// Serialisation of an optional board or matrix in JSON as its picture, with `/` between rows.
pub mod picture {
    use super::*;

    /// Writes an optional board or matrix as a picture, with `/` between rows.
    pub fn serialize<T: Display, S: Serializer>(
        board: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match board {
            Some(board) => to.serialize_str(&board.to_string().trim_end().replace('\n', "/")),
            None => to.serialize_none(),
        }
    }

    /// Reads an optional board or matrix from its picture, with `/` between rows.
    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(Error::custom)).transpose()
    }
}

/// Serialisation of a random seed in JSON as hexadecimal text, since numbers keep only 53 bits.
pub mod hex_seed {
    use super::*;

    /// Writes a random seed as hexadecimal text that begins with `0x`.
    pub fn serialize<S: Serializer>(seed: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("0x{seed:016x}"))
    }

    /// Reads a random seed from hexadecimal text that begins with `0x`.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        let digits = text.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
        digits
            .and_then(Result::ok)
            .ok_or_else(|| Error::custom(format!("seed '{}'", crate::error::quoted(&text))))
    }
}

/// Serialisation of a controller's weights by name, as a JSON object that keeps their order.
pub mod weights {
    use super::*;

    /// Writes a list of names and weights as a JSON object that keeps their order.
    pub fn serialize<K: Display, S: Serializer>(
        weights: &[(K, f64)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_map(weights.iter().map(|(name, weight)| (name.to_string(), weight)))
    }

    /// Reads a list of names and weights from a JSON object, in the object's order.
    pub fn deserialize<'de, K: FromStr<Err: Display>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(K, f64)>, D::Error> {
        struct Weights<K>(std::marker::PhantomData<K>);
        impl<'de, K: FromStr<Err: Display>> Visitor<'de> for Weights<K> {
            type Value = Vec<(K, f64)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("weights by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut weights = Vec::new();
                while let Some((name, weight)) = map.next_entry::<String, f64>()? {
                    weights.push((name.parse().map_err(Error::custom)?, weight));
                }
                Ok(weights)
            }
        }
        from.deserialize_map(Weights(std::marker::PhantomData))
    }
}
