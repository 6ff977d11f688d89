//! Julia's `==` on types.

use crate::{Type, Types, entry};

/// Subtypes both ways (Julia's `==` on types).
pub fn are_equal(types: &Types, a: Type, b: Type) -> bool {
    a == b
        || !(entry::is_plain(types, a) && entry::is_plain(types, b))
            && types.subtype(a, b)
            && types.subtype(b, a)
}
