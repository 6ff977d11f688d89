//! Julia's `==` on types.

use crate::{Type, Types, entry};

/// Whether each of two types is a subtype of the other.
pub fn are_equal(types: &Types, a: Type, b: Type) -> bool {
    a == b
        || !(entry::is_plain(types, a) && entry::is_plain(types, b))
            && types.subtype(a, b)
            && types.subtype(b, a)
}
