//! Tables of values that are equal exactly if their numbers are.

use std::collections::BTreeMap;

/// A list without duplicates, in the order of first use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table<T> {
    list: Vec<T>,
    numbers: BTreeMap<T, u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { list: Vec::new(), numbers: BTreeMap::new() }
    }
}

impl<T: Clone + Ord> Table<T> {
    /// Returns the number of a value, which becomes the last one if it is new.
    pub(crate) fn intern(&mut self, value: T) -> u32 {
        let next = self.list.len() as u32;
        *self.numbers.entry(value).or_insert_with_key(|it| {
            self.list.push(it.clone());
            next
        })
    }
    /// Appends a value; `None` if it is there already.
    pub(crate) fn append(&mut self, value: T) -> Option<u32> {
        let next = self.list.len() as u32;
        (self.intern(value) == next).then_some(next)
    }
    /// Returns the number of a value that is there.
    pub(crate) fn find(&self, value: &T) -> Option<u32> {
        self.numbers.get(value).copied()
    }
    /// Returns the value with a number.
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.list.get(number as usize)
    }
    /// Returns all values, in order.
    pub(crate) fn list(&self) -> &[T] {
        &self.list
    }
}
