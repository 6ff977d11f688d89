//! The address of a shared cache, as users write it: `http://host:port/path?mode=rw`,
//! `redis://host:port/database`.

use std::fmt;

/// The permitted operations of a shared cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RemoteUse {
    /// Lookups only.
    #[default]
    ReadOnly,
    /// Results are sent, and nothing is looked up.
    WriteOnly,
    /// Both.
    ReadWrite,
}

impl RemoteUse {
    /// Whether entries are looked up.
    pub fn reads(self) -> bool {
        self != RemoteUse::WriteOnly
    }

    /// Whether results are sent.
    pub fn writes(self) -> bool {
        self != RemoteUse::ReadOnly
    }
}

/// The address of a shared cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteAddress {
    /// The part of every URL before `/ac/` and `/cas/`, or the Redis server and its database; without a slash at its end.
    pub base: String,
    /// The permitted operations.
    pub usage: RemoteUse,
}

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// Another scheme than `http` and `redis`.
    Scheme(String),
    /// No host, or characters that an address cannot have.
    Host(String),
    /// A name and a password before the host.
    Credentials,
    /// A database of Redis that is no number.
    Database(String),
    /// A query other than `mode=ro`, `mode=wo` and `mode=rw`.
    Query(String),
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressError::Scheme(text) => write!(
                f,
                "`{text}` does not begin with http:// or redis://, the protocols of shared caches; a proxy on this \
                 machine can speak https to a server"
            ),
            AddressError::Host(text) => write!(f, "`{text}` names no server: http://HOST:PORT is one"),
            AddressError::Credentials => {
                write!(f, "an address has no user and password; a proxy on this machine can add them")
            }
            AddressError::Database(text) => {
                write!(f, "`{text}` is no database: redis://HOST:PORT/0 names one")
            }
            AddressError::Query(text) => write!(f, "`{text}` is none of mode=ro, mode=wo, mode=rw"),
        }
    }
}

impl std::error::Error for AddressError {}

impl RemoteAddress {
    /// Reads an address. Without a mode it is read only.
    ///
    /// ```
    /// use kiln_remote::{RemoteAddress, RemoteUse};
    /// let address = RemoteAddress::parse("http://cache.example:8080/kiln/?mode=rw").unwrap();
    /// assert_eq!(address.base, "http://cache.example:8080/kiln");
    /// assert_eq!(address.usage, RemoteUse::ReadWrite);
    /// assert!(RemoteAddress::parse("https://cache.example").is_err());
    /// ```
    ///
    /// # Errors
    /// The part that is wrong.
    pub fn parse(text: &str) -> Result<RemoteAddress, AddressError> {
        let schemes = ["http://", "redis://"];
        let scheme = schemes.into_iter().find(|it| text.starts_with(it));
        let scheme = scheme.ok_or_else(|| AddressError::Scheme(text.to_owned()))?;
        let rest = &text[scheme.len()..];
        let (place, query) = rest.split_once('?').map_or((rest, None), |it| (it.0, Some(it.1)));
        let usage = match query {
            None | Some("mode=ro") => RemoteUse::ReadOnly,
            Some("mode=wo") => RemoteUse::WriteOnly,
            Some("mode=rw") => RemoteUse::ReadWrite,
            Some(other) => return Err(AddressError::Query(other.to_owned())),
        };
        let host = place.split('/').next().unwrap_or_default();
        if host.contains('@') {
            return Err(AddressError::Credentials);
        }
        let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-._~:/[]%".contains(&it);
        if host.is_empty() || host.starts_with(':') || !place.bytes().all(is_plain) {
            return Err(AddressError::Host(text.to_owned()));
        }
        let place = place.trim_end_matches('/');
        let database = place.split_once('/').map_or("", |it| it.1);
        if scheme == "redis://" && !database.bytes().all(|it| it.is_ascii_digit()) {
            return Err(AddressError::Database(database.to_owned()));
        }
        Ok(RemoteAddress { base: format!("{scheme}{place}"), usage })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_or_refused_by_its_part() {
        let usage = |it: &str| RemoteAddress::parse(it).map(|it| (it.base, it.usage));
        assert_eq!(usage("http://a:1"), Ok(("http://a:1".into(), RemoteUse::ReadOnly)));
        assert_eq!(
            usage("http://[::1]:80/x?mode=wo"),
            Ok(("http://[::1]:80/x".into(), RemoteUse::WriteOnly))
        );
        assert_eq!(usage("redis://r/3?mode=rw"), Ok(("redis://r/3".into(), RemoteUse::ReadWrite)));
        assert_eq!(usage("redis://r/x"), Err(AddressError::Database("x".into())));
        assert_eq!(usage("a:1"), Err(AddressError::Scheme("a:1".into())));
        assert_eq!(usage("http://"), Err(AddressError::Host("http://".into())));
        assert_eq!(usage("http://a b"), Err(AddressError::Host("http://a b".into())));
        assert_eq!(usage("http://u:p@a"), Err(AddressError::Credentials));
        assert_eq!(usage("http://a?mode=x"), Err(AddressError::Query("mode=x".into())));
        assert!(RemoteUse::ReadWrite.reads() && RemoteUse::ReadWrite.writes());
        assert!(!RemoteUse::ReadOnly.writes() && !RemoteUse::WriteOnly.reads());
    }
}
