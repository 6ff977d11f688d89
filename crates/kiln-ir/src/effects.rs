//! What calling a method may do besides returning a value: Julia's effect bits, those that kiln uses.

/// Each flag is a promise; `Effects::NONE` promises nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effects {
    /// Equal arguments give the same (`===`) result or the same exception.
    pub consistent: bool,
    /// No visible write, no I/O, no allocation whose identity matters.
    pub effect_free: bool,
    /// Never throws.
    pub nothrow: bool,
    /// Always returns or throws.
    pub terminates: bool,
    /// Reads no mutable memory but its own.
    pub inaccessible_mem_only: bool,
    /// No undefined behaviour (out-of-bounds under `@inbounds`).
    pub noub: bool,
}

impl Effects {
    /// Every promise.
    pub const TOTAL: Effects = Effects {
        consistent: true,
        effect_free: true,
        nothrow: true,
        terminates: true,
        inaccessible_mem_only: true,
        noub: true,
    };
    /// No promise.
    pub const NONE: Effects = Effects {
        consistent: false,
        effect_free: false,
        nothrow: false,
        terminates: false,
        inaccessible_mem_only: false,
        noub: false,
    };

    /// What holds of one after the other.
    pub fn merge(self, other: Effects) -> Effects {
        Effects {
            consistent: self.consistent && other.consistent,
            effect_free: self.effect_free && other.effect_free,
            nothrow: self.nothrow && other.nothrow,
            terminates: self.terminates && other.terminates,
            inaccessible_mem_only: self.inaccessible_mem_only && other.inaccessible_mem_only,
            noub: self.noub && other.noub,
        }
    }
    /// May be evaluated at compile time when the arguments are known.
    pub fn is_foldable(self) -> bool {
        self.consistent && self.effect_free && self.terminates && self.noub
    }
    /// May be removed when the result is unused.
    pub fn is_removable(self) -> bool {
        self.effect_free && self.nothrow && self.terminates
    }
    /// How many promises there are.
    pub const BITS: u32 = 6;

    /// The promises as bits.
    pub fn to_bits(self) -> u32 {
        let Effects { consistent, effect_free, nothrow, terminates, inaccessible_mem_only, noub } = self;
        let all = [consistent, effect_free, nothrow, terminates, inaccessible_mem_only, noub];
        all.iter().enumerate().fold(0, |bits, (at, it)| bits | u32::from(*it) << at)
    }

    /// The inverse of [`Effects::to_bits`].
    pub fn from_bits(bits: u32) -> Effects {
        let bit = |at: u32| bits >> at & 1 != 0;
        Effects {
            consistent: bit(0),
            effect_free: bit(1),
            nothrow: bit(2),
            terminates: bit(3),
            inaccessible_mem_only: bit(4),
            noub: bit(5),
        }
    }
}
