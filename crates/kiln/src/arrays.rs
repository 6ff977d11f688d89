//! Arrays of numbers in a session's memory, for kernels to work on.
//!
//! The elements are a `Memory` of the heap, which the device with a copy of it keeps coherent: reading and writing them from
//! Rust waits for the kernels that use them.

use crate::arguments::number_type;
use crate::session::shared;
use crate::{Element, Error, ErrorKind, Session};
use kiln_runtime::heap::{fields, memory, tuples};
use kiln_runtime::{Rooted, Value, runtime};
use kiln_types::{Type, consts};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// The address space of arrays that all items share.
const GLOBAL: i64 = 1;
/// Bytes that are copied at once.
const CHUNK_BYTES: usize = 1 << 16;

/// An array of rank `N` in a session's memory; kernels see a dense array of `T` with `N` dimensions, the first of
/// which varies fastest.
///
/// ```
/// use kiln::{DeviceArray, Session, SessionOptions};
///
/// let session = Session::new(SessionOptions::new())?;
/// let module = session.load_text("double.jl", "using CUDA
///     function double!(a)
///         i, j = threadIdx().x, threadIdx().y
///         a[i, j] *= 2
///         return
///     end")?;
/// let mut a = session.array_with_shape(&[1, 2, 3, 4, 5, 6], [2, 3])?;
/// let double = module.kernel::<(&mut DeviceArray<i32, 2>,)>("double!")?;
/// double.launch(kiln::LaunchSize::new([1, 1, 1], [2, 3, 1]), (&mut a,))?;
/// assert_eq!((a.shape(), a.to_vec()?), ([2, 3], vec![2, 4, 6, 8, 10, 12]));
/// # Ok::<(), kiln::Error>(())
/// ```
pub struct DeviceArray<T, const N: usize> {
    session: Session,
    memory: Rooted,
    /// The array as kernels see it, which points to the memory.
    array: Rooted,
    shape: [usize; N],
    elements: PhantomData<T>,
}

/// A vector in a session's memory.
///
/// ```
/// use kiln::{DeviceSlice, Session, SessionOptions};
///
/// let session = Session::new(SessionOptions::new())?;
/// let mut x: DeviceSlice<f64> = session.array_from(&[1.0, 2.0])?;
/// x.copy_from(&[3.0, 4.0])?;
/// assert_eq!(x.to_vec()?, [3.0, 4.0]);
/// # Ok::<(), kiln::Error>(())
/// ```
pub type DeviceSlice<T> = DeviceArray<T, 1>;

impl Session {
    /// Copies a slice to a new vector for kernels.
    ///
    /// # Errors
    /// When there is no memory for it.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let x = session.array_from(&[1u8, 2, 3])?;
    /// assert_eq!(x.len(), 3);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn array_from<T: Element>(&self, elements: &[T]) -> Result<DeviceSlice<T>, Error> {
        self.array_with_shape(elements, [elements.len()])
    }

    /// Copies a slice to a new array of this shape, whose first dimension varies fastest.
    ///
    /// # Errors
    /// When the shape has another number of elements, or memory is exhausted.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let a = session.array_with_shape(&[1, 2, 3, 4], [2, 2])?;
    /// assert_eq!(a.shape(), [2, 2]);
    /// assert!(session.array_with_shape(&[1, 2, 3], [2, 2]).is_err());
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn array_with_shape<T: Element, const N: usize>(
        &self,
        elements: &[T],
        shape: [usize; N],
    ) -> Result<DeviceArray<T, N>, Error> {
        let mut array = self.zeros(shape)?;
        array.copy_from(elements)?;
        Ok(array)
    }

    /// Returns a zero-filled array of this shape.
    ///
    /// # Errors
    /// When memory is exhausted.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.zeros::<f32, 1>([4])?.to_vec()?, [0.0; 4]);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn zeros<T: Element, const N: usize>(&self, shape: [usize; N]) -> Result<DeviceArray<T, N>, Error> {
        let count = shape.iter().try_fold(1usize, |all, it| all.checked_mul(*it));
        let too_large = || {
            Error::new(ErrorKind::Limit, format!("error[out-of-memory]: no memory for an array of {shape:?}"))
        };
        let ty = DeviceArray::<T, N>::ty(self)?;
        // No collection runs before both objects are rooted.
        shared(self, || {
            let heap = &self.rt.heap;
            let memory_ty = memory::memory_type(heap, number_type::<T>(heap.core()));
            let count =
                count.filter(|it| i64::try_from(*it).is_ok_and(|it| memory::fits(heap, memory_ty, it)));
            let count = count.ok_or_else(too_large)?;
            let memory = memory::try_new(heap, memory_ty, count).ok_or_else(too_large)?;
            let memory = self.rt.roots.hold(memory);
            let pointer = Value::inline(pointer_type::<T>(self)?, memory::data(heap, memory.value()));
            let dims: Vec<Value> = shape.iter().map(|it| heap.int(*it as i64)).collect();
            let fields = [pointer, tuples::new(heap, &dims), heap.int(count as i64)];
            let array = self.rt.roots.hold(fields::new_struct(heap, ty, &fields));
            Ok(DeviceArray { session: self.clone(), memory, array, shape, elements: PhantomData })
        })
    }
}

/// `LLVMPtr{T, 1}`.
fn pointer_type<T: Element>(session: &Session) -> Result<Type, Error> {
    let types = &session.rt.types;
    let space = consts::to_param(types, consts::int(types, GLOBAL));
    let applied = types.apply(types.core().llvm_ptr, &[number_type::<T>(types.core()), space]);
    applied.map_err(|_| Error::new(ErrorKind::Bug, "error[bug]: no type of device pointers"))
}

impl<T: Element, const N: usize> DeviceArray<T, N> {
    /// `DeviceArray{T, N, 1}`.
    pub(crate) fn ty(session: &Session) -> Result<Type, Error> {
        let (rt, types) = (&session.rt, &session.rt.types);
        let device = rt.base_global("Device").and_then(|it| it.as_module(types.core()));
        let generic = device.and_then(|it| rt.global(it, types.symbol("DeviceArray")));
        let number = |it: i64| consts::to_param(types, consts::int(types, it));
        let params = [number_type::<T>(types.core()), number(N as i64), number(GLOBAL)];
        let applied = generic.and_then(|it| types.apply(it.as_type(types.core())?, &params).ok());
        applied
            .ok_or_else(|| Error::new(ErrorKind::Bug, "error[bug]: the library has no type of device arrays"))
    }

    /// The value that a kernel of this session is given.
    pub(crate) fn argument(&self, session: &Session) -> Result<Value, Error> {
        if Arc::ptr_eq(&self.session.rt, &session.rt) {
            return Ok(self.array.value());
        }
        Err(Error::usage("error[other-session]: an array of one session is an argument of another's kernel"))
    }

    /// Returns the lengths of the dimensions.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.zeros::<f32, 3>([2, 3, 4])?.shape(), [2, 3, 4]);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn shape(&self) -> [usize; N] {
        self.shape
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.zeros::<f32, 2>([2, 3])?.len(), 6);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert!(session.array_from::<f32>(&[])?.is_empty());
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the elements out, in memory order. Waits for the kernels that use them.
    ///
    /// # Errors
    /// When a device does not give its copy back.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.array_from(&[1.5f32, -2.0])?.to_vec()?, [1.5, -2.0]);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let mut elements = Vec::with_capacity(self.len());
        self.read(|it| elements.push(it))?;
        Ok(elements)
    }

    /// Copies the elements to a slice of as many, in memory order.
    ///
    /// # Errors
    /// When the slice has another length; when a device does not give its copy back.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let mut host = [0; 3];
    /// session.array_from(&[1, 2, 3])?.copy_to(&mut host)?;
    /// assert_eq!(host, [1, 2, 3]);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn copy_to(&self, to: &mut [T]) -> Result<(), Error> {
        self.expect_len(to.len())?;
        let mut to = to.iter_mut();
        self.read(|it| to.next().into_iter().for_each(|to| *to = it))
    }

    /// Replaces the elements, in memory order.
    ///
    /// # Errors
    /// When the slice has another length; when a device does not give its copy back.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let mut x = session.array_from(&[1, 2])?;
    /// x.copy_from(&[3, 4])?;
    /// assert!(x.copy_from(&[1, 2, 3]).unwrap_err().is_usage());
    /// assert_eq!(x.to_vec()?, [3, 4]);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn copy_from(&mut self, from: &[T]) -> Result<(), Error> {
        self.expect_len(from.len())?;
        let mut buffer = [0; CHUNK_BYTES];
        for (number, some) in from.chunks(CHUNK_BYTES / T::SIZE).enumerate() {
            let bytes = &mut buffer[..some.len() * T::SIZE];
            for (to, it) in bytes.chunks_exact_mut(T::SIZE).zip(some) {
                it.write(to);
            }
            let first = number * (CHUNK_BYTES / T::SIZE);
            memory::write(&self.session.rt.heap, self.memory.value(), first, bytes);
        }
        self.surface()
    }

    fn read(&self, mut take: impl FnMut(T)) -> Result<(), Error> {
        let mut buffer = [0; CHUNK_BYTES];
        let (count, some) = (self.len(), CHUNK_BYTES / T::SIZE);
        for first in (0..count).step_by(some) {
            let bytes = &mut buffer[..some.min(count - first) * T::SIZE];
            memory::read(&self.session.rt.heap, self.memory.value(), first, bytes);
            bytes.chunks_exact(T::SIZE).for_each(|it| take(T::read(it)));
        }
        self.surface()
    }

    fn expect_len(&self, len: usize) -> Result<(), Error> {
        if len == self.len() {
            return Ok(());
        }
        let message = format!("error[length]: a slice of {len} elements for an array of {}", self.len());
        Err(Error::usage(message))
    }

    /// Fails with the error of a device that had a copy.
    fn surface(&self) -> Result<(), Error> {
        if !self.session.rt.heap.coherence.has_async_results() {
            return Ok(());
        }
        shared(&self.session, || {
            let surfaced = runtime::surface_async_errors(&self.session.rt);
            surfaced.map_err(|it| self.session.failure(&it))
        })
    }
}

impl<T, const N: usize> fmt::Debug for DeviceArray<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceArray").field("shape", &self.shape).finish_non_exhaustive()
    }
}
