//! The header of a library: a descriptor and typed functions for each kernel and function.
//!
//! The typed functions are inline: they lay out the block of arguments and call `libkiln_rt`, so a library exports nothing
//! but descriptors.

use super::BuiltEntry;
use super::identifier::{distinct, identifier};
use crate::compile::{CNumber, CType};

/// Names that the typed functions use themselves.
const TAKEN: [&str; 8] = ["kernel", "function", "size", "args", "value", "result", "failure", "status"];

/// The header of a library that is called `name`.
///
/// ```
/// let empty = kiln::ahead::header("my-kernels", &[]);
/// assert!(empty.contains("#ifndef KILN_LIBRARY_MY_KERNELS_H"));
/// ```
pub fn header(name: &str, entries: &[BuiltEntry]) -> String {
    let guard = format!("KILN_LIBRARY_{}_H", identifier(name).to_uppercase());
    let mut out = format!(
        "/* Made by `kiln build`: do not edit. Each function returns 0, or why not: see kiln_rt.h. */\n\
         #ifndef {guard}\n#define {guard}\n\n\
         #include \"kiln_rt.h\"\n#include <stdbool.h>\n#include <string.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
    );
    let mut arrays: Vec<(Option<CNumber>, u32)> = Vec::new();
    for it in entries.iter().flat_map(|it| &it.params) {
        if let CType::Array { element, rank } = &it.c_type
            && !arrays.contains(&(*element, *rank))
        {
            arrays.push((*element, *rank));
        }
    }
    arrays.iter().for_each(|it| out.push_str(&array_type(it.0, it.1)));
    entries.iter().for_each(|it| out.push_str(&declarations(it)));
    out.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    out
}

/// The type that a pointer to elements has.
fn pointee(element: Option<CNumber>) -> &'static str {
    element.map_or("void", CNumber::in_c)
}

/// The name of a view of an array.
fn array_name(element: Option<CNumber>, rank: u32) -> String {
    format!("kiln_array_{}_{rank}", element.map_or("any".to_owned(), |it| it.name().to_lowercase()))
}

/// Several headers may have the same views.
fn array_type(element: Option<CNumber>, rank: u32) -> String {
    let name = array_name(element, rank);
    let guard = name.to_uppercase();
    let element = pointee(element);
    format!(
        "\n#ifndef {guard}\n#define {guard}\n\
         /* An array in the memory of the caller; the first dimension is contiguous. */\n\
         typedef struct {name} {{\n    {element} *elements;\n    int64_t dims[{rank}];\n}} {name};\n#endif\n"
    )
}

/// A declaration of a member with the layout that Julia has.
fn member(ty: &CType, name: &str) -> String {
    match ty {
        CType::Number(it) => format!("{} {name};", it.in_c()),
        CType::Pointer(it) => format!("{} *{name};", pointee(*it)),
        CType::Array { element, rank } => {
            let element = pointee(*element);
            format!("struct {{ {element} *elements; int64_t dims[{rank}]; int64_t length; }} {name};")
        }
        CType::Space { rank } => format!("int64_t {name}[{}];", 3 * rank),
        CType::Repeated(element, count) => member(element, &format!("{name}[{count}]")),
        CType::Fields(fields) => format!("struct {{ {} }} {name};", members(fields)),
        CType::Bytes(bytes) => format!("unsigned char {name}[{bytes}];"),
    }
}

fn members(fields: &[(String, u32, CType)]) -> String {
    let names = distinct(fields.iter().map(|it| it.0.as_str()), &[]);
    let all: Vec<String> = fields.iter().zip(names).map(|(it, name)| member(&it.2, &name)).collect();
    all.join(" ")
}

/// The type of an argument or a result, and the declaration that it needs; `None` for the launch space, which is the size of a
/// launch. `owner` is the name of a struct that is declared.
fn type_name(ty: &CType, owner: &str) -> Option<(String, String)> {
    let inner = match ty {
        CType::Number(it) => return Some((it.in_c().to_owned(), String::new())),
        CType::Pointer(it) => return Some((format!("{} *", pointee(*it)), String::new())),
        CType::Array { element, rank } => return Some((array_name(*element, *rank), String::new())),
        CType::Space { .. } => return None,
        CType::Fields(fields) => members(fields),
        CType::Repeated(..) => member(ty, "elements"),
        CType::Bytes(_) => member(ty, "bytes"),
    };
    Some((format!("struct {owner}"), format!("struct {owner} {{ {inner} }};\n")))
}

/// A parameter: its type and its name.
fn parameter(ty: &str, name: &str) -> String {
    format!("{ty}{}{name}", if ty.ends_with('*') { "" } else { " " })
}

/// The descriptor and the typed functions.
fn declarations(entry: &BuiltEntry) -> String {
    let BuiltEntry { symbol, signature, params, args_bytes, returns, .. } = entry;
    let names = distinct(params.iter().map(|it| it.name.as_str()), &TAKEN);
    let (mut types, mut given, mut passed, mut stores) = (String::new(), vec![], vec![], String::new());
    for (param, name) in params.iter().zip(&names) {
        if let Some((ty, declared)) = type_name(&param.c_type, &format!("{symbol}_{name}")) {
            types.push_str(&declared);
            given.push(parameter(&ty, name));
            passed.push(name.clone());
        }
        stores.push_str(&store(&param.c_type, name, param.place.offset));
    }
    let words = args_bytes.div_ceil(8).max(1);
    let (suffix, first, before, work) = match returns {
        None => {
            given.insert(0, "struct kiln_rt_size size".into());
            passed.insert(0, "size".into());
            let work = "    return kiln_rt_launch(kernel, &size, args, failure);\n".to_owned();
            ("launch", "kernel", String::new(), work)
        }
        Some(ty) => {
            if let Some((name, declared)) = type_name(ty, &format!("{symbol}_result")) {
                types.push_str(&declared);
                given.push(parameter(&name, "*result"));
                passed.push("result".into());
            }
            let words = ty.bytes().div_ceil(8).max(1);
            let work = "    status = kiln_rt_call(function, args, value, failure);\n    \
                        if (status == KILN_RT_OK) { memcpy(result, value, sizeof *result); }\n    return status;\n";
            let before = format!("    uint64_t value[{words}] = {{0}};\n    int status;\n");
            ("call", "function", before, work.to_owned())
        }
    };
    given.push("struct kiln_rt_failure *failure".into());
    passed.push("failure".into());
    let (given, passed) = (given.join(", "), passed.join(", "));
    format!(
        "\n/* {signature} */\n{types}extern const struct kiln_rt_kernel {symbol};\n\n\
         static inline int {symbol}_{suffix}_with(const struct kiln_rt_kernel *{first}, {given}) {{\n    \
         uint64_t args[{words}] = {{0}};\n{before}{stores}{work}}}\n\n\
         static inline int {symbol}_{suffix}({given}) {{\n    \
         return {symbol}_{suffix}_with(&{symbol}, {passed});\n}}\n",
        signature = signature.replace("*/", "* /"),
    )
}

/// Statements that put an argument into the block.
fn store(ty: &CType, name: &str, offset: u32) -> String {
    let put = |at: u32, from: &str, bytes: u32| {
        format!("    memcpy((unsigned char *)args + {at}, {from}, {bytes});\n")
    };
    match ty {
        CType::Array { rank, .. } => {
            let lengths: Vec<String> = (0..*rank).map(|it| format!("{name}.dims[{it}]")).collect();
            let length = format!("    args[{}] = (uint64_t)({});\n", offset / 8 + rank + 1, lengths.join(" * "));
            let parts = put(offset, &format!("&{name}.elements"), 8);
            parts + &put(offset + 8, &format!("{name}.dims"), 8 * rank) + &length
        }
        CType::Space { rank } => (0..*rank)
            .map(|it| {
                let word = |part: u32| offset / 8 + part * rank + it;
                format!(
                    "    args[{}] = (uint64_t)(size.range[{it}] > 0 ? size.range[{it}] : size.groups[{it}] * size.items[{it}]);\n    \
                     args[{}] = (uint64_t)size.items[{it}];\n    args[{}] = (uint64_t)size.groups[{it}];\n",
                    word(0),
                    word(1),
                    word(2)
                )
            })
            .collect(),
        CType::Number(_) | CType::Pointer(_) | CType::Repeated(..) | CType::Fields(_) | CType::Bytes(_) => {
            put(offset, &format!("&{name}"), ty.bytes())
        }
    }
}
