//! UUIDs, the identities of packages, and the names of their folders in depots.

use crc::{CRC_32_ISCSI, Crc};
use sha2::{Digest, Sha256};
use std::fmt;

/// The checksum that names folders of depots.
const CASTAGNOLI: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
/// The digits of such names, the smallest first.
const DIGITS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Lengths of the groups of hexadecimal digits in a written UUID.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// A UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub u128);

impl Uuid {
    /// Reads the form `2d15fe94-a1f7-436c-a4d8-07a9a496e01c`; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut number = 0;
        let mut rest = text.bytes();
        for (group, length) in GROUPS.into_iter().enumerate() {
            if group > 0 && rest.next() != Some(b'-') {
                return None;
            }
            for _ in 0..length {
                number = number << 4 | u128::from(char::from(rest.next()?).to_digit(16)?);
            }
        }
        rest.next().is_none().then_some(Self(number))
    }

    /// Returns the UUID that stands for a name in the scope of another UUID, or of none: equal inputs have equal results. Extensions
    /// and projects without a UUID have one so.
    pub fn derived(scope: Option<Self>, name: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(scope.map_or(0, |it| it.0).to_be_bytes());
        hash.update(name.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        bytes[6] = bytes[6] & 0x0f | 0x80; // version 8: a hash of our own
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Self(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:032x}", self.0);
        let mut rest = &*digits;
        for (number, length) in GROUPS.into_iter().enumerate() {
            let (group, after) = rest.split_at(length);
            write!(f, "{}{group}", if number == 0 { "" } else { "-" })?;
            rest = after;
        }
        Ok(())
    }
}

/// Returns the name of a version's folder in a depot: `length` digits of the checksum of the UUID and of the tree's hash, which is
/// 40 hexadecimal digits; `None` if it is not.
pub fn slug(uuid: Uuid, tree_hash: &str, length: usize) -> Option<String> {
    let digits = tree_hash.as_bytes();
    if digits.len() != 40 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut digest = CASTAGNOLI.digest();
    digest.update(&uuid.0.to_le_bytes());
    for pair in digits.chunks_exact(2) {
        let pair = std::str::from_utf8(pair).ok()?;
        digest.update(&[u8::from_str_radix(pair, 16).ok()?]);
    }
    let mut rest = digest.finalize() as usize;
    let mut text = String::new();
    for _ in 0..length {
        text.push(char::from(DIGITS[rest % DIGITS.len()]));
        rest /= DIGITS.len();
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_read_and_written() {
        let text = "2d15fe94-a1f7-436c-a4d8-07a9a496e01c";
        assert_eq!(Uuid::parse(text).map(|it| it.to_string()).as_deref(), Some(text));
        for wrong in [
            "",
            "2d15fe94",
            "2d15fe94-a1f7-436c-a4d8-07a9a496e01g",
            "2d15fe94a1f7-436c-a4d8-07a9-a496e01c",
            "é-é-é-é-é",
        ] {
            assert_eq!(Uuid::parse(wrong), None, "{wrong}");
        }
    }

    /// Folders that package managers made.
    #[test]
    fn folders_of_depots_have_their_names() {
        let first = Uuid::parse("2d15fe94-a1f7-436c-a4d8-07a9a496e01c").unwrap();
        let name = slug(first, "1bf63d3be994fe83456a03b874b409cfd59a6373", 5);
        assert_eq!(name.as_deref(), Some("HDkrT"));
        let second = Uuid::parse("f7a24cb4-21fc-4002-ac70-f0e3a0dd3f62").unwrap();
        let hash = "e808e36a5d7173974b90a15a353b564f3494092f";
        assert_eq!(slug(second, hash, 5).as_deref(), Some("me9k3"));
        assert_eq!(slug(second, hash, 4).as_deref(), Some("me9k"));
        assert_eq!(slug(second, "no hash", 5), None);
    }

    #[test]
    fn derived_ones_depend_on_scope_and_name() {
        let scope = Some(Uuid(1));
        assert_eq!(Uuid::derived(scope, "Ext"), Uuid::derived(scope, "Ext"));
        assert_ne!(Uuid::derived(scope, "Ext"), Uuid::derived(Some(Uuid(2)), "Ext"));
        assert_ne!(Uuid::derived(scope, "Ext"), Uuid::derived(scope, "Other"));
    }
}
