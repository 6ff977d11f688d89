//! Lists of metadata: those of AIR, and the flags of the module. Others are for LLVM's passes, and left out.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "LLVM has many types and operations: those that are not named are refused"
)]

use super::Bridge;
use crate::error::AirUnsupported;
use crate::llvm::{ConstantForm, MetadataForm, Val};
use kiln_air::MetadataRef;

/// Lists of other names are left out.
const KEPT: [&str; 3] = ["air.", "llvm.module.flags", "llvm.ident"];
/// Lists are in at most so many others.
const DEPTH_MAX: u32 = 16;
/// The list of the module's flags, whose first element is a number that says how modules are joined.
const FLAGS: &str = "llvm.module.flags";
/// "The least of both", which LLVM 14 lacks, and "the greatest of both".
const LEAST: i64 = 8;
const GREATEST: u64 = 7;

impl Bridge<'_> {
    /// Copies the lists of metadata.
    pub(super) fn metadata(&mut self) -> Result<(), AirUnsupported> {
        for (name, elements) in self.module.metadata_lists() {
            if !KEPT.iter().any(|it| name.starts_with(it)) {
                continue;
            }
            let mut list = Vec::new();
            for element in elements {
                list.push(match self.module.metadata_form(element) {
                    MetadataForm::List(parts) if name == FLAGS => self.flag(&parts, &name)?,
                    _ => self.metadata_ref(element, &name, 0)?,
                });
            }
            self.out.metadata.named.push((name, list));
        }
        Ok(())
    }

    /// Copies a flag of the module.
    fn flag(&mut self, parts: &[Option<Val>], name: &str) -> Result<MetadataRef, AirUnsupported> {
        let mut list = self.elements(parts, name, 0)?;
        if let [Some(behaviour), ..] = parts
            && self.module.int_constant(*behaviour) == Some(LEAST)
        {
            let greatest = self.out.int(32, GREATEST);
            list[0] = Some(self.out.metadata.value(greatest));
        }
        Ok(self.out.metadata.list(&list))
    }

    fn elements(
        &mut self,
        parts: &[Option<Val>],
        name: &str,
        depth: u32,
    ) -> Result<Vec<Option<MetadataRef>>, AirUnsupported> {
        parts.iter().map(|it| it.map(|it| self.metadata_ref(it, name, depth + 1)).transpose()).collect()
    }

    fn metadata_ref(&mut self, value: Val, name: &str, depth: u32) -> Result<MetadataRef, AirUnsupported> {
        if depth > DEPTH_MAX {
            return Err(AirUnsupported::Metadata(name.to_owned()));
        }
        match self.module.metadata_form(value) {
            MetadataForm::Text(text) => Ok(self.out.metadata.text(&text)),
            MetadataForm::Value(value) => {
                let is_symbol =
                    matches!(self.module.constant_form(value), ConstantForm::Global | ConstantForm::Function);
                let value = if is_symbol { self.symbol(value)? } else { self.constant(value)? };
                Ok(self.out.metadata.value(value))
            }
            MetadataForm::List(parts) => {
                let list = self.elements(&parts, name, depth)?;
                Ok(self.out.metadata.list(&list))
            }
            MetadataForm::Other => Err(AirUnsupported::Metadata(name.to_owned())),
        }
    }
}
