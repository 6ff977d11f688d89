//! The types of numbers that arrays hold and kernels take.

use crate::arguments::sealed;

/// A type of numbers that arrays hold and kernels take: the integers, the floats, and `bool`.
///
/// | Rust | Julia |
/// |---|---|
/// | `i8` to `i128`, `isize` | `Int8` to `Int128`, `Int` |
/// | `u8` to `u128`, `usize` | `UInt8` to `UInt128`, `UInt` |
/// | `f32`, `f64` | `Float32`, `Float64` |
/// | `bool` | `Bool` |
///
/// The trait is sealed.
///
/// ```
/// fn bytes<T: kiln_prebuilt::Element>(xs: &[T]) -> usize {
///     std::mem::size_of_val(xs)
/// }
/// assert_eq!(bytes(&[1.0f32, 2.0]), 8);
/// ```
pub trait Element: sealed::ElementBytes {}

macro_rules! numbers {
    ($($rust:ident $julia:literal)*) => {$(
        impl sealed::ElementBytes for $rust {
            const SIZE: usize = size_of::<$rust>();
            const NAME: &'static str = $julia;
            fn write(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }
            fn read(from: &[u8]) -> Self {
                from.try_into().map_or_else(|_| Self::default(), Self::from_le_bytes)
            }
        }
        impl Element for $rust {}
    )*};
}

numbers! {
    i8 "Int8" i16 "Int16" i32 "Int32" i64 "Int64" i128 "Int128" isize "Int64"
    u8 "UInt8" u16 "UInt16" u32 "UInt32" u64 "UInt64" u128 "UInt128" usize "UInt64"
    f32 "Float32" f64 "Float64"
}

impl sealed::ElementBytes for bool {
    const SIZE: usize = 1;
    const NAME: &'static str = "Bool";
    fn write(self, to: &mut [u8]) {
        to.copy_from_slice(&[u8::from(self)]);
    }
    fn read(from: &[u8]) -> Self {
        from.first().is_some_and(|it| it & 1 != 0)
    }
}
impl Element for bool {}

#[cfg(test)]
mod tests {
    use super::sealed::ElementBytes as _;

    /// Numbers come back as they were written, and any byte is a `bool`.
    #[test]
    fn numbers_survive_their_bytes() {
        let mut bytes = [0; 8];
        (-1.5f64).write(&mut bytes);
        assert_eq!(f64::read(&bytes), -1.5);
        assert!(bool::read(&[255]) && !bool::read(&[2]));
    }
}
