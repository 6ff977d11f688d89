//! Julia's effect bits of a call: the promises about everything besides the returned value.

macro_rules! promises {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Each flag is a promise; `Effects::NONE` promises nothing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Effects { $($(#[$doc])* pub $name: bool),* }

        impl Effects {
            /// Every promise.
            pub const TOTAL: Effects = Effects { $($name: true),* };
            /// No promise.
            pub const NONE: Effects = Effects { $($name: false),* };
            /// The number of promises.
            pub const BITS: u32 = [$(stringify!($name)),*].len() as u32;

            /// The promises that hold of one call after the other.
            pub fn merge(self, other: Effects) -> Effects {
                Effects { $($name: self.$name && other.$name),* }
            }

            /// The promises as bits, the first flag lowest.
            pub fn to_bits(self) -> u32 {
                [$(self.$name),*].iter().rev().fold(0, |bits, it| bits << 1 | u32::from(*it))
            }

            /// The inverse of [`Effects::to_bits`].
            pub fn from_bits(bits: u32) -> Effects {
                let mut at = 0;
                let mut next = || {
                    at += 1;
                    bits >> (at - 1) & 1 != 0
                };
                Effects { $($name: next()),* }
            }
        }
    };
}

promises! {
    /// Equal arguments produce the same (`===`) result, or all throw, provided that `no_new_object` and
    /// `no_argument_reads` hold, too.
    consistent,
    /// No visible write and no I/O, provided that `no_argument_writes` holds, too.
    effect_free,
    /// Never throws.
    nothrow,
    /// Always returns or throws.
    terminates,
    /// Accesses no mutable memory except its own and memory reachable from its arguments.
    inaccessible_mem_only,
    /// No undefined behaviour, provided that `noub_unless_inbounds` holds, too.
    noub,
    /// The result neither is nor holds a mutable object that the call allocates.
    no_new_object,
    /// Reads no mutable memory that an argument leads to.
    no_argument_reads,
    /// Writes no memory that an argument leads to.
    no_argument_writes,
    /// The result does not depend on the identity of an object.
    no_identity,
    /// An `@inbounds` around the call causes no undefined behaviour.
    noub_unless_inbounds,
    /// Neither reads nor changes the state of the task.
    notaskstate,
    /// Calls no method of an overlay.
    nonoverlayed,
    /// Does not ask inference for a type.
    nortcall,
}

impl Effects {
    /// Equal arguments give the same result, whatever happens elsewhere.
    pub fn is_consistent(self) -> bool {
        self.consistent && self.no_new_object && self.no_argument_reads
    }

    /// No visible write, no I/O.
    pub fn is_effect_free(self) -> bool {
        self.effect_free && self.no_argument_writes
    }

    /// May be evaluated at compile time when the arguments are known.
    pub fn is_foldable(self) -> bool {
        self.is_consistent() && self.is_effect_free() && self.terminates && self.noub
    }

    /// May be removed when the result is unused.
    pub fn is_removable(self) -> bool {
        self.is_effect_free() && self.nothrow && self.terminates
    }
}
