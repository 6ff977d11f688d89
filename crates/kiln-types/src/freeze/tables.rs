//! What the writer asks of the tables, and how the reader fills them.

use super::{Counts, ImageError};
use crate::interner::FIRST_FRESH_ORDINAL;
use crate::pool::pool_hash;
use crate::{ConstData, TypeData, Types};
use std::sync::atomic::Ordering;

impl Types {
    /// How many entries each table has.
    pub fn counts(&self) -> Counts {
        Counts {
            symbols: self.symbols.len(),
            modules: self.modules.count(),
            names: self.names.count(),
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
            let valid = match self.consts.get(at) {
                ConstData::Object { handle, .. } => handle.index() < objects,
                ConstData::Bits { ty, bytes } => {
                    let size = self.layout(*ty).map(|it| it.size as usize);
                    size == Some(bytes.len()) || (*ty == self.core.intrinsic_function && bytes.len() == 8)
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

    pub(super) fn restore_symbols(&mut self, symbols: &[&str]) {
        self.symbols.reserve(symbols.len());
        for &symbol in symbols {
            self.symbols.restore(Some(pool_hash(symbol)), symbol.into());
        }
    }

    pub(super) fn restore_consts(&mut self, consts: impl ExactSizeIterator<Item = ConstData>) {
        self.consts.reserve(consts.len());
        for data in consts {
            self.consts.restore(Some(pool_hash(&data)), data);
        }
    }

    pub(super) fn reserve_types(&mut self, count: usize) {
        self.types.reserve(count);
    }

    pub(super) fn restore_type(&mut self, data: TypeData) {
        // A variable that `type_var` made equals no other and is not looked up.
        let fresh = matches!(data, TypeData::Var { ordinal, .. } if ordinal >= FIRST_FRESH_ORDINAL);
        let hash = (!fresh).then(|| pool_hash(&data));
        let entry = self.make_entry(data);
        self.types.restore(hash, entry);
    }
}
