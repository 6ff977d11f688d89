//! A function that calls a kernel as its description says, in the language of LLVM 14.

use kiln_air::{ConstantValue, MetadataNode, MetadataRef, Module, Value};
use std::fmt::Write;

/// The values that the runner gives each item, in its order.
const INPUTS: [&str; 11] = [
    "air.thread_position_in_threadgroup",
    "air.threadgroup_position_in_grid",
    "air.threads_per_threadgroup",
    "air.threadgroups_per_grid",
    "air.thread_position_in_grid",
    "air.threads_per_grid",
    "air.thread_index_in_threadgroup",
    "air.thread_index_in_simdgroup",
    "air.simdgroup_index_in_threadgroup",
    "air.threads_per_simdgroup",
    "air.simdgroups_per_threadgroup",
];

fn list(module: &Module, it: MetadataRef) -> Option<&[Option<MetadataRef>]> {
    let MetadataRef::Node(index) = it else { return None };
    match module.metadata.nodes().get(index as usize)? {
        MetadataNode::List(all) => Some(all),
        MetadataNode::Value(_) => None,
    }
}

fn text(module: &Module, it: Option<&Option<MetadataRef>>) -> Option<String> {
    match (*it?)? {
        MetadataRef::Text(index) => module.metadata.texts().get(index as usize).cloned(),
        MetadataRef::Node(_) => None,
    }
}

fn number(module: &Module, it: Option<&Option<MetadataRef>>) -> Option<u64> {
    let MetadataRef::Node(index) = (*it?)? else { return None };
    let MetadataNode::Value(Value::Constant(index)) = module.metadata.nodes().get(index as usize)? else {
        return None;
    };
    match module.constants().get(*index as usize)?.value {
        ConstantValue::Int(value) => Some(value),
        ConstantValue::Null => Some(0),
        ConstantValue::Undef
        | ConstantValue::Poison
        | ConstantValue::Float(_)
        | ConstantValue::Aggregate(_)
        | ConstantValue::Data(_)
        | ConstantValue::Cast(..) => None,
    }
}

/// Returns the text; `None` if the module does not describe its kernel.
pub(crate) fn trampoline(module: &Module) -> Option<String> {
    let kernels = &module.metadata.named.iter().find(|it| it.0 == "air.kernel")?.1;
    let kernel = list(module, *kernels.first()?)?;
    let nodes = list(module, (*kernel.get(2)?)?)?;
    let (mut types, mut values, mut body) = (Vec::new(), Vec::new(), String::new());
    for (index, node) in nodes.iter().enumerate() {
        let node = list(module, (*node)?)?;
        let kind = text(module, node.get(1))?;
        let ty = if kind == "air.buffer" {
            let space = number(module, node.get(7))?;
            let ty = format!("i8 addrspace({space})*");
            writeln!(body, "  %s{index} = getelementptr i8*, i8** %buffers, i64 {index}").ok()?;
            writeln!(body, "  %l{index} = load i8*, i8** %s{index}, align 8").ok()?;
            writeln!(body, "  %v{index} = addrspacecast i8* %l{index} to {ty}").ok()?;
            ty
        } else {
            let at = 3 * INPUTS.iter().position(|it| *it == kind)?;
            let ty = match text(module, node.get(3))?.as_str() {
                "uint" => "i32",
                "uint2" => "<2 x i32>",
                "uint3" => "<3 x i32>",
                _ => return None,
            };
            writeln!(body, "  %s{index} = getelementptr i32, i32* %items, i64 {at}").ok()?;
            writeln!(body, "  %c{index} = bitcast i32* %s{index} to {ty}*").ok()?;
            writeln!(body, "  %v{index} = load {ty}, {ty}* %c{index}, align 4").ok()?;
            ty.to_owned()
        };
        values.push(format!("{ty} %v{index}"));
        types.push(ty);
    }
    Some(format!(
        "target triple = \"{}\"\ntarget datalayout = \"{}\"\ndeclare void @k({})\n\
         define void @kiln.launch(i8** %buffers, i32* %items) {{\n{body}  call void @k({})\n  ret void\n}}\n",
        module.triple,
        module.layout,
        types.join(", "),
        values.join(", ")
    ))
}
