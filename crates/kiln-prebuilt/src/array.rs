//! Arrays in memory of their own, which kernels work on.
//!
//! The elements are atomic words: a kernel may write to them while other threads read, without undefined behaviour, and no
//! reference to an element is ever given out.

use crate::Element;
use crate::error::{Error, ErrorKind};
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a word.
const WORD: usize = size_of::<u64>();
/// Arrays are aligned for the widest vectors.
const ALIGN: usize = 64;
/// Words that are copied at once.
const CHUNK: usize = 1 << 10;

/// An array of rank `N`, whose first dimension varies fastest.
///
/// ```
/// use kiln_prebuilt::Array;
///
/// let mut x = Array::from_slice(&[1.0f32, 2.0, 3.0]);
/// assert_eq!((x.shape(), x.to_vec()), ([3], vec![1.0, 2.0, 3.0]));
/// x.copy_from(&[4.0, 5.0, 6.0])?;
/// assert_eq!(x.to_vec(), [4.0, 5.0, 6.0]);
/// # Ok::<(), kiln_prebuilt::Error>(())
/// ```
pub struct Array<T, const N: usize> {
    words: Box<[AtomicU64]>,
    /// The word that the elements begin with.
    first: usize,
    shape: [usize; N],
    elements: PhantomData<T>,
}

impl<T: Element> Array<T, 1> {
    /// A vector with the elements of a slice.
    ///
    /// ```
    /// assert_eq!(kiln_prebuilt::Array::from_slice(&[true, false]).len(), 2);
    /// ```
    pub fn from_slice(elements: &[T]) -> Self {
        let array = Self::zeros([elements.len()]);
        array.write(elements);
        array
    }
}

impl<T: Element, const N: usize> Array<T, N> {
    /// Returns a zero-filled array of this shape.
    ///
    /// # Panics
    /// When memory is exhausted.
    ///
    /// ```
    /// assert_eq!(kiln_prebuilt::Array::<i16, 2>::zeros([2, 2]).to_vec(), [0; 4]);
    /// ```
    pub fn zeros(shape: [usize; N]) -> Self {
        let count = shape.iter().try_fold(T::SIZE, |all, it| all.checked_mul(*it));
        let count = count.expect("an array fits the address space").div_ceil(WORD) + ALIGN / WORD;
        let words: Box<[AtomicU64]> = (0..count).map(|_| AtomicU64::new(0)).collect();
        let first = words.as_ptr().align_offset(ALIGN).min(ALIGN / WORD);
        Self { words, first, shape, elements: PhantomData }
    }

    /// An array of this shape, with the elements of a slice in memory order.
    ///
    /// # Errors
    /// When the shape has another number of elements.
    ///
    /// ```
    /// let a = kiln_prebuilt::Array::with_shape(&[1, 2, 3, 4], [2, 2])?;
    /// assert_eq!(a.shape(), [2, 2]);
    /// # Ok::<(), kiln_prebuilt::Error>(())
    /// ```
    pub fn with_shape(elements: &[T], shape: [usize; N]) -> Result<Self, Error> {
        let mut array = Self::zeros(shape);
        array.copy_from(elements)?;
        Ok(array)
    }

    /// Returns the lengths of the dimensions.
    ///
    /// ```
    /// assert_eq!(kiln_prebuilt::Array::<f64, 3>::zeros([1, 2, 3]).shape(), [1, 2, 3]);
    /// ```
    pub fn shape(&self) -> [usize; N] {
        self.shape
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// assert_eq!(kiln_prebuilt::Array::<f64, 2>::zeros([2, 3]).len(), 6);
    /// ```
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has no elements.
    ///
    /// ```
    /// assert!(kiln_prebuilt::Array::<f64, 2>::zeros([2, 0]).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the elements out, in memory order.
    ///
    /// ```
    /// assert_eq!(kiln_prebuilt::Array::from_slice(&[7u8, 8]).to_vec(), [7, 8]);
    /// ```
    pub fn to_vec(&self) -> Vec<T> {
        let mut elements = Vec::with_capacity(self.len());
        let mut buffer = [0; CHUNK * WORD];
        let mut left = self.len() * T::SIZE;
        for words in self.words[self.first..].chunks(CHUNK) {
            for (to, word) in buffer.chunks_exact_mut(WORD).zip(words) {
                to.copy_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
            }
            let some = left.min(words.len() * WORD);
            elements.extend(buffer[..some].chunks_exact(T::SIZE).map(T::read));
            left -= some;
            if left == 0 {
                break;
            }
        }
        elements
    }

    /// Replaces the elements, in memory order.
    ///
    /// # Errors
    /// When the slice has another length.
    ///
    /// ```
    /// let mut x = kiln_prebuilt::Array::from_slice(&[1, 2]);
    /// assert!(x.copy_from(&[1, 2, 3]).is_err());
    /// ```
    pub fn copy_from(&mut self, from: &[T]) -> Result<(), Error> {
        if from.len() != self.len() {
            let message = format!("a slice of {} elements for an array of {}", from.len(), self.len());
            return Err(Error::new(ErrorKind::Arguments, message));
        }
        self.write(from);
        Ok(())
    }

    fn write(&self, from: &[T]) {
        let mut buffer = [0; CHUNK * WORD];
        let each = CHUNK * WORD / T::SIZE;
        for (some, words) in from.chunks(each).zip(self.words[self.first..].chunks(CHUNK)) {
            buffer.fill(0);
            for (to, it) in buffer.chunks_exact_mut(T::SIZE).zip(some) {
                it.write(to);
            }
            let count = (some.len() * T::SIZE).div_ceil(WORD);
            for (from, word) in buffer.chunks_exact(WORD).zip(words).take(count) {
                let bytes = from.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
                word.store(bytes, Ordering::Relaxed);
            }
        }
    }

    /// The address of the first element.
    pub(crate) fn address(&self) -> u64 {
        self.words[self.first..].as_ptr().expose_provenance() as u64
    }
}

impl<T: Element, const N: usize> Clone for Array<T, N> {
    fn clone(&self) -> Self {
        let array = Self::zeros(self.shape);
        array.write(&self.to_vec());
        array
    }
}

impl<T, const N: usize> fmt::Debug for Array<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Array").field("shape", &self.shape).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements of every size come back in order, over the ends of chunks and words.
    #[test]
    fn elements_come_back() {
        for count in [0, 1, 7, 8, 9, 8191, 8192, 8193, 20_000] {
            let bytes: Vec<u8> = (0..count).map(|it| it as u8).collect();
            let array = Array::from_slice(&bytes);
            assert_eq!(array.to_vec(), bytes);
            assert!(array.address().is_multiple_of(ALIGN as u64));
            let wide: Vec<u128> = (0..count).map(|it| it as u128 * 0x1_0000_0000_0000_0001).collect();
            assert_eq!(Array::from_slice(&wide).to_vec(), wide);
        }
    }
}
