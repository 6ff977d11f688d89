//! Access to the tables for the writer and the reader.

use super::{ImageError, TableSizes};
use crate::{Const, ConstData, Types};
use std::sync::atomic::Ordering;

impl Types {
    /// Returns the number of entries of each table.
    pub fn counts(&self) -> TableSizes {
        TableSizes {
            symbols: self.symbols.len(),
            modules: self.modules.count(),
            names: self.frozen.names.len() + self.names.count(),
            consts: self.consts.len(),
            types: self.types.len(),
        }
    }

    /// Whether the constants of thawed tables are values of their types, and name objects among the first
    /// `objects`.
    ///
    /// # Errors
    /// When one is not.
    pub fn check_constants(&self, objects: usize) -> Result<(), ImageError> {
        for at in 0..self.consts.len() {
            let valid = match self.const_data(Const::from_index(at)) {
                ConstData::Object { handle, .. } => handle.index() < objects,
                ConstData::Bits { ty, bytes } => {
                    // Values that are numbers: those of intrinsics, and of method tables.
                    let is_number = [self.core.intrinsic_function, self.core.method_table].contains(ty);
                    let size = self.layout(*ty).map(|it| it.size as usize);
                    size == Some(bytes.len()) || (is_number && bytes.len() == 8)
                }
                ConstData::Aggregate { ty, fields } => {
                    self.layout(*ty).is_some_and(|it| it.fields.len() >= fields.len())
                }
                ConstData::Symbol(_) | ConstData::Type(_) | ConstData::String(_) | ConstData::Module(_) => {
                    true
                }
            };
            if !valid {
                return Err(ImageError("a constant that is no value of its type"));
            }
        }
        Ok(())
    }

    /// The next ordinal of a variable, the next number for a name, and how many definitions are unfinished.
    pub(super) fn counters(&self) -> (u32, u32, u32) {
        let counters = [&self.next_ordinal, &self.next_number, &self.unfinished];
        let [ordinal, number, unfinished] = counters.map(|it| it.load(Ordering::Acquire));
        (ordinal, number, unfinished)
    }

    pub(super) fn set_counters(&mut self, ordinal: u32, number: u32, unfinished: u32) {
        *self.next_ordinal.get_mut() = ordinal;
        *self.next_number.get_mut() = number;
        *self.unfinished.get_mut() = unfinished;
    }
}
