//! Relations between types.

use crate::{Type, Types};

impl Types {
    /// The least type above both that Julia's `typejoin` finds.
    pub fn typejoin(&self, a: Type, b: Type) -> Type {
        if self.subtype(a, b) {
            b
        } else if self.subtype(b, a) {
            a
        } else {
            Self::ANY
        }
    }
}
