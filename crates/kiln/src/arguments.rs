//! The Rust types that kernels take as arguments, and the Julia types that they stand for.

use crate::arrays::DeviceArray;
use crate::{Element, Error, Session};
use kiln_prebuilt::sealed::ElementBytes as Bytes;
use kiln_runtime::Value;
use kiln_runtime::heap::bits;
use kiln_types::{CoreTypes, Type, datatype};

/// The most arguments of a kernel, and the context of its launch.
pub(crate) const ARGUMENTS_MAX: usize = 13;

/// A Rust type for an argument type of a kernel: numbers, fixed-length arrays of numbers (tuples in Julia), and
/// device arrays by reference.
///
/// A kernel that stores to an array takes it as `&mut`. The trait is sealed.
///
/// ```
/// use kiln::{Session, SessionOptions};
///
/// let session = Session::new(SessionOptions::new())?;
/// let module = session.load_text("fill.jl", "using CUDA\nfill!(y, v, on) = (y[1] = on ? v[1] + v[2] : 0; return)")?;
/// let fill = module.kernel::<(&mut kiln::DeviceSlice<i64>, [i32; 2], bool)>("fill!")?;
/// let mut y = session.array_from(&[0i64])?;
/// fill.launch((1, 1), (&mut y, [40, 2], true))?;
/// assert_eq!(y.to_vec()?, [42]);
/// # Ok::<(), kiln::Error>(())
/// ```
pub trait KernelArg: sealed::KernelArg {}

/// The types of the arguments of a kernel: a tuple of at most 12.
///
/// The trait is sealed.
///
/// ```
/// use kiln::{Kernel, KernelArgs, Module};
///
/// fn find<A: KernelArgs>(module: &Module, name: &str) -> Option<Kernel<A>> {
///     module.kernel(name).ok()
/// }
/// # let session = kiln::Session::new(kiln::SessionOptions::new())?;
/// # let module = session.load_text("empty.jl", "using CUDA\nempty(x) = nothing")?;
/// assert!(find::<(f32,)>(&module, "empty").is_some());
/// assert!(find::<(f32, f32)>(&module, "empty").is_none());
/// # Ok::<(), kiln::Error>(())
/// ```
pub trait KernelArgs: sealed::KernelArgs {}

/// The arguments of a launch, as the heap has them.
pub struct Values {
    values: [Value; ARGUMENTS_MAX],
    count: usize,
}

impl Values {
    pub(crate) fn new(session: &Session) -> Self {
        Self { values: [session.rt.heap.nothing(); ARGUMENTS_MAX], count: 0 }
    }

    pub(crate) fn push(&mut self, value: Value) {
        self.values[self.count] = value;
        self.count += 1;
    }

    pub(crate) fn as_slice(&self) -> &[Value] {
        &self.values[..self.count]
    }
}

/// The parts of the traits that only this crate sees.
pub(crate) mod sealed {
    use super::{Error, Session, Type, Value, Values};

    /// An argument.
    pub trait KernelArg {
        /// The type with the lifetime of a launch.
        type Given<'a>;
        /// The Julia type.
        fn ty(session: &Session) -> Result<Type, Error>;
        /// The value of one; it lives as long as no Julia code is evaluated, and `given` does.
        fn value(given: &Self::Given<'_>, session: &Session) -> Result<Value, Error>;
    }

    /// All arguments.
    pub trait KernelArgs {
        /// The types with the lifetime of a launch.
        type Given<'a>;
        /// The Julia types.
        fn types(session: &Session) -> Result<Vec<Type>, Error>;
        /// Adds the values.
        fn values(given: &Self::Given<'_>, session: &Session, to: &mut Values) -> Result<(), Error>;
    }
}

/// The Julia type of numbers.
pub(crate) fn number_type<T: Element>(core: &CoreTypes) -> Type {
    match T::NAME {
        "Int8" => core.int8,
        "Int16" => core.int16,
        "Int32" => core.int32,
        "Int64" => core.int64,
        "Int128" => core.int128,
        "UInt8" => core.uint8,
        "UInt16" => core.uint16,
        "UInt32" => core.uint32,
        "UInt64" => core.uint64,
        "UInt128" => core.uint128,
        "Float32" => core.float32,
        "Float64" => core.float64,
        "Bool" => core.bool,
        name => unreachable!("{name} is no type of numbers"),
    }
}

macro_rules! numbers {
    ($($rust:ident)*) => {$(
        impl KernelArg for $rust {}
        impl sealed::KernelArg for $rust {
            type Given<'a> = $rust;
            fn ty(session: &Session) -> Result<Type, Error> {
                Ok(number_type::<$rust>(session.rt.types.core()))
            }
            fn value(given: &$rust, session: &Session) -> Result<Value, Error> {
                let mut word = [0; size_of::<u128>()];
                Bytes::write(*given, &mut word[..size_of::<$rust>()]);
                let ty = <Self as sealed::KernelArg>::ty(session)?;
                Ok(match word {
                    [a, b, c, d, e, f, g, h, ..] if size_of::<$rust>() <= size_of::<u64>() => {
                        Value::inline(ty, u64::from_le_bytes([a, b, c, d, e, f, g, h]))
                    }
                    _ => bits::from_wide(&session.rt.heap, ty, u128::from_le_bytes(word)),
                })
            }
        }
    )*};
}

numbers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool);

impl<T: Element, const N: usize> KernelArg for [T; N] {}
impl<T: Element, const N: usize> sealed::KernelArg for [T; N] {
    type Given<'a> = [T; N];
    fn ty(session: &Session) -> Result<Type, Error> {
        Ok(datatype::tuple(&session.rt.types, &[number_type::<T>(session.rt.types.core()); N]))
    }
    fn value(given: &[T; N], session: &Session) -> Result<Value, Error> {
        let mut bytes = vec![0; N * T::SIZE];
        for (to, it) in bytes.chunks_exact_mut(T::SIZE).zip(given) {
            it.write(to);
        }
        Ok(bits::from_bits(&session.rt.heap, Self::ty(session)?, &bytes))
    }
}

impl<T: Element, const N: usize> KernelArg for &DeviceArray<T, N> {}
impl<T: Element, const N: usize> sealed::KernelArg for &DeviceArray<T, N> {
    type Given<'a> = &'a DeviceArray<T, N>;
    fn ty(session: &Session) -> Result<Type, Error> {
        DeviceArray::<T, N>::ty(session)
    }
    fn value(given: &&DeviceArray<T, N>, session: &Session) -> Result<Value, Error> {
        given.argument(session)
    }
}

impl<T: Element, const N: usize> KernelArg for &mut DeviceArray<T, N> {}
impl<T: Element, const N: usize> sealed::KernelArg for &mut DeviceArray<T, N> {
    type Given<'a> = &'a mut DeviceArray<T, N>;
    fn ty(session: &Session) -> Result<Type, Error> {
        DeviceArray::<T, N>::ty(session)
    }
    fn value(given: &&mut DeviceArray<T, N>, session: &Session) -> Result<Value, Error> {
        given.argument(session)
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: KernelArg),*> KernelArgs for ($($name,)*) {}
        #[allow(non_snake_case, unused_variables, clippy::unused_unit, reason = "one pattern for all lengths, 0 too")]
        impl<$($name: KernelArg),*> sealed::KernelArgs for ($($name,)*) {
            type Given<'a> = ($($name::Given<'a>,)*);
            fn types(session: &Session) -> Result<Vec<Type>, Error> {
                Ok(vec![$($name::ty(session)?),*])
            }
            fn values(given: &Self::Given<'_>, session: &Session, to: &mut Values) -> Result<(), Error> {
                let ($($name,)*) = given;
                $(to.push(<$name as sealed::KernelArg>::value($name, session)?);)*
                Ok(())
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
