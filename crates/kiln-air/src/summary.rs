//! The description of a kernel, read back: what a library says of the module beside it.

use crate::model::{ConstantValue, MetadataNode, MetadataRef, Module, Value};

/// The name of the one kernel of a module, and its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSummary {
    /// The name.
    pub name: String,
    /// The version of AIR.
    pub air: [u16; 2],
    /// The version of the Metal language.
    pub language: [u16; 2],
    /// The first number of the release of macOS, from the triple.
    pub macos: u16,
}

/// Returns the summary of a module that describes one kernel.
pub fn kernel_summary(module: &Module) -> Option<KernelSummary> {
    let [kernel] = list(module, "air.kernel")?[..] else { return None };
    let name = match node(module, *elements(module, kernel)?.first()?.as_ref()?)? {
        MetadataNode::Value(Value::Function(index)) => module.functions.get(*index as usize)?.name.clone(),
        MetadataNode::Value(_) | MetadataNode::List(_) => return None,
    };
    let numbers = |name: &str, skip: usize| -> Option<[u16; 2]> {
        let version = elements(module, *list(module, name)?.first()?)?;
        let [major, minor] = [version.get(skip)?, version.get(skip + 1)?].map(|it| number(module, (*it)?));
        Some([major?, minor?])
    };
    let release = module.triple.split_once("-apple-macosx")?.1;
    Some(KernelSummary {
        name,
        air: numbers("air.version", 0)?,
        language: numbers("air.language_version", 1)?,
        macos: release.split('.').next()?.parse().ok()?,
    })
}

/// Returns a list with a name.
fn list<'a>(module: &'a Module, name: &str) -> Option<&'a [MetadataRef]> {
    module.metadata.named.iter().find(|it| it.0 == name).map(|it| &it.1[..])
}

fn node(module: &Module, it: MetadataRef) -> Option<&MetadataNode> {
    match it {
        MetadataRef::Node(index) => module.metadata.nodes().get(index as usize),
        MetadataRef::Text(_) => None,
    }
}

fn elements(module: &Module, it: MetadataRef) -> Option<&[Option<MetadataRef>]> {
    match node(module, it)? {
        MetadataNode::List(elements) => Some(elements),
        MetadataNode::Value(_) => None,
    }
}

fn number(module: &Module, it: MetadataRef) -> Option<u16> {
    let MetadataNode::Value(Value::Constant(index)) = node(module, it)? else { return None };
    match module.constants().get(*index as usize)?.value {
        ConstantValue::Int(value) => u16::try_from(value).ok(),
        ConstantValue::Null => Some(0),
        ConstantValue::Undef
        | ConstantValue::Poison
        | ConstantValue::Float(_)
        | ConstantValue::Aggregate(_)
        | ConstantValue::Data(_)
        | ConstantValue::Cast(..) => None,
    }
}
