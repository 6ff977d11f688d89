//! Options of compiling a kernel for a target: which target takes which option, and which values.

use crate::facts::TargetFacts;
use crate::family;
use crate::option_error::OptionError;
use kiln_unit::DeviceOptions;

/// An option that only some targets take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetOption {
    /// [`DeviceOptions::fastmath`].
    Fastmath,
    /// [`DeviceOptions::items`].
    Items,
    /// [`DeviceOptions::items_max`].
    ItemsMax,
    /// [`DeviceOptions::groups_min`].
    GroupsMin,
    /// [`DeviceOptions::registers_max`].
    RegistersMax,
    /// [`DeviceOptions::language`].
    Language,
    /// [`DeviceOptions::code_object`].
    CodeObject,
    /// [`DeviceOptions::extensions`].
    Extensions,
}

impl TargetOption {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Fastmath,
        Self::Items,
        Self::ItemsMax,
        Self::GroupsMin,
        Self::RegistersMax,
        Self::Language,
        Self::CodeObject,
        Self::Extensions,
    ];

    /// Returns the flag of the command line.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Fastmath => "--fastmath",
            Self::Items => "--minthreads",
            Self::ItemsMax => "--maxthreads",
            Self::GroupsMin => "--blocks-per-sm",
            Self::RegistersMax => "--maxregs",
            Self::Language => "--ptx",
            Self::CodeObject => "--code-object",
            Self::Extensions => "--extensions",
        }
    }

    /// Whether the option is set.
    pub fn is_given(self, options: &DeviceOptions) -> bool {
        match self {
            Self::Fastmath => options.fastmath,
            Self::Items => options.items.is_some(),
            Self::ItemsMax => options.items_max.is_some(),
            Self::GroupsMin => options.groups_min.is_some(),
            Self::RegistersMax => options.registers_max.is_some(),
            Self::Language => options.language.is_some(),
            Self::CodeObject => options.code_object.is_some(),
            Self::Extensions => !options.extensions.is_empty(),
        }
    }
}

/// A family that has no options of its own.
pub(crate) fn any(_: &TargetFacts, _: &DeviceOptions) -> Result<(), OptionError> {
    Ok(())
}

/// Whether a target takes the values of the options; those that it does not take are not looked at.
///
/// # Errors
/// Checks the options; an error names the wrong value and the accepted ones.
pub fn check_options(facts: &TargetFacts, options: &DeviceOptions) -> Result<(), OptionError> {
    if let Some(family) = family(facts) {
        (family.check)(facts, options)?;
    }
    let takes = |it| facts.options.contains(&it);
    let items = options.items.filter(|_| takes(TargetOption::Items));
    let items_max = options.items_max.filter(|_| takes(TargetOption::ItemsMax));
    check_items(facts, items, items_max)?;
    check_registers(facts, options.registers_max.filter(|_| takes(TargetOption::RegistersMax)))
}

/// Checks sizes of groups against the bounds that hold for all devices of a target.
fn check_items(
    facts: &TargetFacts,
    items: Option<[u32; 3]>,
    items_max: Option<[u32; 3]>,
) -> Result<(), OptionError> {
    let Some(most) = facts.limits.group_items else { return Ok(()) };
    for sizes in [items, items_max].into_iter().flatten() {
        let items = sizes.iter().fold(1_u32, |product, it| product.saturating_mul(*it));
        if items > most {
            return Err(OptionError::TooManyItems { target: facts.name.clone(), items, most });
        }
    }
    match (items, items_max) {
        (Some(exactly), Some(at_most)) if exactly.iter().zip(at_most).any(|(it, most)| *it > most) => {
            Err(OptionError::ItemBounds { exactly, at_most })
        }
        _ => Ok(()),
    }
}

fn check_registers(facts: &TargetFacts, registers: Option<u32>) -> Result<(), OptionError> {
    match (registers, facts.limits.registers) {
        (Some(count), Some(most)) if count > most => {
            Err(OptionError::TooManyRegisters { target: facts.name.clone(), count, most })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lookup;

    fn check(target: &str, options: DeviceOptions) -> Result<(), OptionError> {
        check_options(&lookup(target).expect("a target"), &options)
    }

    /// A refusal of a value lists the accepted ones; an option that a target does not take is ignored.
    #[test]
    fn values_are_checked_where_they_mean_something() {
        let ptx = |version| DeviceOptions { language: Some(version), ..DeviceOptions::default() };
        assert_eq!(check("sm_90", ptx(83)), Ok(()));
        assert_eq!(check("gfx1100", ptx(999)), Ok(()));
        assert!(check("sm_90", ptx(999)).is_err_and(|it| it.to_string().contains("8.0, 8.1")));
        assert!(check("sm_90", ptx(70)).is_err_and(|it| it.to_string().contains("needs a later")));
        let extension = |it: &str| DeviceOptions { extensions: it.into(), ..DeviceOptions::default() };
        assert_eq!(check("spirv64", extension("+SPV_KHR_expect_assume,-SPV_KHR_bfloat16")), Ok(()));
        assert!(check("spirv64", extension("SPV_KHR_expect_assume")).is_err());
        assert!(check("spirv64", extension("+SPV_NO_SUCH")).is_err());
        let items = DeviceOptions { items: Some([32, 32, 2]), ..DeviceOptions::default() };
        assert!(check("sm_90", items.clone()).is_err());
        assert_eq!(check("spirv64", items), Ok(()));
        let bounds = |items, items_max| DeviceOptions { items, items_max, ..DeviceOptions::default() };
        assert_eq!(check("gfx1100", bounds(Some([64, 1, 1]), Some([128, 1, 1]))), Ok(()));
        assert!(check("sm_90", bounds(Some([512, 1, 1]), Some([256, 1, 1]))).is_err());
        assert!(check("gfx1100", bounds(None, Some([4096, 1, 1]))).is_err());
        let registers = |it| DeviceOptions { registers_max: Some(it), ..DeviceOptions::default() };
        assert_eq!(check("sm_90", registers(255)), Ok(()));
        assert!(check("sm_90", registers(256)).is_err() && check("gfx90a", registers(100_000)).is_err());
        let code = DeviceOptions { code_object: Some(7), ..DeviceOptions::default() };
        assert!(check("gfx90a", code).is_err());
    }
}
