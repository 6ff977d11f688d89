//! The Rust types that prebuilt kernels take as arguments.

use crate::{Array, Element};

/// A Rust type for an argument type of a kernel: numbers, fixed-length arrays of numbers, and [`Array`]s by
/// reference, `&mut` where the kernel stores to them. The trait is sealed.
///
/// ```no_run
/// # fn main() -> Result<(), kiln_prebuilt::Error> {
/// use kiln_prebuilt::{Array, Image};
///
/// let scale = Image::open("scale.kimg")?.kernel::<(&mut Array<f64, 2>, [f64; 2])>("scale!")?;
/// scale.launch(kiln_prebuilt::LaunchSize::cover(4), (&mut Array::zeros([2, 2]), [1.0, 2.0]))?;
/// # Ok(())
/// # }
/// ```
pub trait KernelArg: sealed::KernelArg {}

/// The types of the arguments of a kernel: a tuple of at most 12. The trait is sealed.
///
/// ```no_run
/// # fn main() -> Result<(), kiln_prebuilt::Error> {
/// fn find<A: kiln_prebuilt::KernelArgs>(image: &kiln_prebuilt::Image) -> Option<kiln_prebuilt::Kernel<A>> {
///     image.kernel("step!").ok()
/// }
/// find::<(f32, f32)>(&kiln_prebuilt::Image::open("steps.kimg")?);
/// # Ok(())
/// # }
/// ```
pub trait KernelArgs: sealed::KernelArgs {}

/// The parts of the traits that only crates of kiln see.
pub mod sealed {
    /// Numbers as bytes.
    pub trait ElementBytes: Copy + Send + Sync + 'static {
        /// Bytes of one.
        const SIZE: usize;
        /// The name of the Julia type.
        const NAME: &'static str;
        /// Writes one to as many bytes.
        fn write(self, to: &mut [u8]);
        /// Reads one of as many bytes.
        fn read(from: &[u8]) -> Self;
    }

    /// An argument.
    pub trait KernelArg {
        /// The type with the lifetime of a launch.
        type Given<'a>;
        /// The name of the Julia type, without modules.
        fn julia() -> String;
        /// Bytes of one.
        fn size() -> usize;
        /// Writes one to as many bytes.
        fn write(given: &Self::Given<'_>, to: &mut [u8]);
    }

    /// All arguments.
    pub trait KernelArgs {
        /// The types with the lifetime of a launch.
        type Given<'a>;
        /// The names of the Julia types, without modules, and their sizes.
        fn julia() -> Vec<(String, usize)>;
        /// Writes each to its part of a block: offset and size.
        fn write(given: &Self::Given<'_>, places: &[(usize, usize)], block: &mut [u8]);
    }
}

macro_rules! numbers {
    ($($rust:ident)*) => {$(
        impl KernelArg for $rust {}
        impl sealed::KernelArg for $rust {
            type Given<'a> = $rust;
            fn julia() -> String {
                <$rust as sealed::ElementBytes>::NAME.to_owned()
            }
            fn size() -> usize {
                size_of::<$rust>()
            }
            fn write(given: &$rust, to: &mut [u8]) {
                sealed::ElementBytes::write(*given, to);
            }
        }
    )*};
}

numbers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool);

impl<T: Element, const N: usize> KernelArg for [T; N] {}
impl<T: Element, const N: usize> sealed::KernelArg for [T; N] {
    type Given<'a> = [T; N];
    fn julia() -> String {
        format!("Tuple{{{}}}", [T::NAME; N].join(", "))
    }
    fn size() -> usize {
        N * T::SIZE
    }
    fn write(given: &[T; N], to: &mut [u8]) {
        to.chunks_exact_mut(T::SIZE).zip(given).for_each(|(to, it)| it.write(to));
    }
}

/// The name of arrays as kernels see them.
fn array_name<T: Element, const N: usize>() -> String {
    format!("DeviceArray{{{}, {N}, 1}}", T::NAME)
}

/// The address, the lengths of the dimensions, and the number of elements.
fn write_array<T: Element, const N: usize>(array: &Array<T, N>, to: &mut [u8]) {
    let lengths = array.shape().into_iter().chain([array.len()]).map(|it| it as u64);
    for (to, word) in to.chunks_exact_mut(8).zip(std::iter::once(array.address()).chain(lengths)) {
        to.copy_from_slice(&word.to_le_bytes());
    }
}

impl<T: Element, const N: usize> KernelArg for &Array<T, N> {}
impl<T: Element, const N: usize> sealed::KernelArg for &Array<T, N> {
    type Given<'a> = &'a Array<T, N>;
    fn julia() -> String {
        array_name::<T, N>()
    }
    fn size() -> usize {
        8 * (N + 2)
    }
    fn write(given: &&Array<T, N>, to: &mut [u8]) {
        write_array(given, to);
    }
}

impl<T: Element, const N: usize> KernelArg for &mut Array<T, N> {}
impl<T: Element, const N: usize> sealed::KernelArg for &mut Array<T, N> {
    type Given<'a> = &'a mut Array<T, N>;
    fn julia() -> String {
        array_name::<T, N>()
    }
    fn size() -> usize {
        8 * (N + 2)
    }
    fn write(given: &&mut Array<T, N>, to: &mut [u8]) {
        write_array(given, to);
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: KernelArg),*> KernelArgs for ($($name,)*) {}
        #[allow(non_snake_case, unused_variables, unused_mut, reason = "one pattern for all lengths, 0 too")]
        impl<$($name: KernelArg),*> sealed::KernelArgs for ($($name,)*) {
            type Given<'a> = ($($name::Given<'a>,)*);
            fn julia() -> Vec<(String, usize)> {
                vec![$(($name::julia(), $name::size())),*]
            }
            fn write(given: &Self::Given<'_>, places: &[(usize, usize)], block: &mut [u8]) {
                let ($($name,)*) = given;
                let mut places = places.iter();
                $(if let Some((offset, size)) = places.next() {
                    <$name as sealed::KernelArg>::write($name, &mut block[*offset..offset + size]);
                })*
            }
        }
    };
}

tuples!();
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);
