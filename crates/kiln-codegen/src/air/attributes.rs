//! Attributes of functions and calls. LLVM 14 has other ones for what they do with memory; those that only say more of a value are
//! left out where it lacks them.

use super::Bridge;
use crate::error::AirUnsupported;
use crate::llvm::{AttributeForm, Val, attribute_number, carrier};
use kiln_air::{AirAttribute, AttributeKind, AttributePlace};

/// Attributes that both have.
const SHARED: [(&str, AttributeKind); 23] = [
    ("align", AttributeKind::Align),
    ("alwaysinline", AttributeKind::AlwaysInline),
    ("noalias", AttributeKind::NoAlias),
    ("noduplicate", AttributeKind::NoDuplicate),
    ("noinline", AttributeKind::NoInline),
    ("nounwind", AttributeKind::NoUnwind),
    ("readnone", AttributeKind::ReadNone),
    ("readonly", AttributeKind::ReadOnly),
    ("writeonly", AttributeKind::WriteOnly),
    ("returned", AttributeKind::Returned),
    ("signext", AttributeKind::SignExt),
    ("zeroext", AttributeKind::ZeroExt),
    ("cold", AttributeKind::Cold),
    ("nonnull", AttributeKind::NonNull),
    ("dereferenceable", AttributeKind::Dereferenceable),
    ("convergent", AttributeKind::Convergent),
    ("norecurse", AttributeKind::NoRecurse),
    ("speculatable", AttributeKind::Speculatable),
    ("immarg", AttributeKind::ImmArg),
    ("willreturn", AttributeKind::WillReturn),
    ("nofree", AttributeKind::NoFree),
    ("nosync", AttributeKind::NoSync),
    ("noundef", AttributeKind::NoUndef),
];
/// Attributes without which code would mean something else.
const NEEDED: [&str; 11] = [
    "byval",
    "byref",
    "sret",
    "inalloca",
    "preallocated",
    "inreg",
    "nest",
    "swiftself",
    "swifterror",
    "swiftasync",
    "strictfp",
];
/// Texts of AIR begin so; others are for LLVM's back ends.
const TEXTS: &str = "air";
/// Bits of a location in what a function does with memory: it may read, it may write.
const READS: u64 = 1;
const WRITES: u64 = 2;
/// The first two locations: memory that arguments point to, and memory that the module cannot access otherwise.
const LOCATION_BITS: u32 = 2;
/// What an attribute says of the capture of an address: nothing of it is captured.
const CAPTURES_NOTHING: u64 = 0;

/// Returns LLVM 14's attributes for what a function does with memory. They say no more than it does.
fn memory(effects: u64) -> Vec<AttributeKind> {
    let locations: Vec<u64> = (0..32).map(|it| effects >> (LOCATION_BITS * it) & (READS | WRITES)).collect();
    if effects == 0 {
        return vec![AttributeKind::ReadNone];
    }
    let mut kinds = Vec::new();
    match (locations[0] != 0, locations[1] != 0, locations[2..].iter().any(|it| *it != 0)) {
        (true, false, false) => kinds.push(AttributeKind::ArgMemOnly),
        (false, true, false) => kinds.push(AttributeKind::InaccessibleMemOnly),
        (true, true, false) => kinds.push(AttributeKind::InaccessibleMemOrArgMemOnly),
        _ => {}
    }
    if locations.iter().all(|it| it & WRITES == 0) {
        kinds.push(AttributeKind::ReadOnly);
    } else if locations.iter().all(|it| it & READS == 0) {
        kinds.push(AttributeKind::WriteOnly);
    }
    kinds
}

impl Bridge<'_> {
    /// Returns the list of the attributes of a function or a call; `name` is the function's.
    pub(super) fn attributes(&mut self, holder: Val, name: &str) -> Result<Option<u32>, AirUnsupported> {
        let params = self.carriers(holder);
        let mut list = Vec::new();
        let first =
            [(AttributePlace::Function, carrier::FUNCTION), (AttributePlace::Result, carrier::RESULT)];
        let others = (0..params).map(|it| (AttributePlace::Param(it), carrier::FIRST_PARAM + it));
        for (place, number) in first.into_iter().chain(others) {
            let attributes = self.attributes_at(holder, number, name)?;
            if !attributes.is_empty() {
                list.push((place, attributes));
            }
        }
        Ok(self.out.attributes(list))
    }

    /// Returns the number of arguments of a call, or of parameters of a function.
    fn carriers(&self, holder: Val) -> u32 {
        if self.module.opcode(holder).is_some() {
            self.module.argument_count(holder) as u32
        } else {
            self.module.params_of(holder).len() as u32
        }
    }

    fn attributes_at(
        &self,
        holder: Val,
        number: u32,
        name: &str,
    ) -> Result<Vec<AirAttribute>, AirUnsupported> {
        let found = self.module.attributes_of(holder, number);
        let needed: Vec<u32> = NEEDED.iter().filter_map(|it| attribute_number(it)).collect();
        let mut attributes = Vec::new();
        for it in &found {
            match it {
                AttributeForm::Number(kind, _) | AttributeForm::Other(kind) if needed.contains(kind) => {
                    return Err(AirUnsupported::Attribute { function: name.to_owned(), number: *kind });
                }
                AttributeForm::Text(key, value) if key.starts_with(TEXTS) => {
                    attributes.push(if value.is_empty() {
                        AirAttribute::Word(key.clone())
                    } else {
                        AirAttribute::Text(key.clone(), value.clone())
                    })
                }
                AttributeForm::Number(..) | AttributeForm::Other(_) | AttributeForm::Text(..) => {}
            }
        }
        let value = |name: &str| {
            let number = attribute_number(name)?;
            found.iter().find_map(|it| match it {
                AttributeForm::Number(kind, value) if *kind == number => Some(*value),
                AttributeForm::Number(..) | AttributeForm::Other(_) | AttributeForm::Text(..) => None,
            })
        };
        for (name, kind) in SHARED {
            match value(name) {
                Some(value) if kind.has_value() => attributes.push(AirAttribute::Number(kind, value)),
                Some(_) => attributes.push(AirAttribute::Flag(kind)),
                None => {}
            }
        }
        if value("captures") == Some(CAPTURES_NOTHING) {
            attributes.push(AirAttribute::Flag(AttributeKind::NoCapture));
        }
        if let Some(effects) = value("memory") {
            attributes.extend(memory(effects).into_iter().map(AirAttribute::Flag));
        }
        Ok(attributes)
    }
}

#[cfg(test)]
mod tests {
    //! The effects of a function on memory.

    use super::memory;
    use kiln_air::AttributeKind as K;

    /// LLVM has two bits for each location: 1 reads, 2 writes.
    #[test]
    fn effects_on_memory() {
        assert_eq!(memory(0), [K::ReadNone]);
        assert_eq!(memory(0b01), [K::ArgMemOnly, K::ReadOnly]);
        assert_eq!(memory(0b10), [K::ArgMemOnly, K::WriteOnly]);
        assert_eq!(memory(0b11), [K::ArgMemOnly]);
        assert_eq!(memory(0b1100), [K::InaccessibleMemOnly]);
        assert_eq!(memory(0b0110), [K::InaccessibleMemOrArgMemOnly]);
        assert_eq!(memory(0b0101_0101_0101), [K::ReadOnly]);
        assert_eq!(memory(0b1010_1010), [K::WriteOnly]);
        assert_eq!(memory(0b1111_1111), []);
    }
}
