//! Host functions, compiled: for code the interpreter runs often, and to compare the two in tests.

use crate::arguments;
use crate::check::Place;
use crate::failure;
use crate::kernel::UnitFunction;
use crate::kernel_host::Driver;
use crate::stats::timed;
use crate::typed::{View, code_instance};
use kiln_ir::Instance;
use kiln_launch::CpuFunction;
use kiln_runtime::tables::{CodeInstance, WorldRange};
use kiln_runtime::{CompiledBody, Run, Runtime, Value};
use kiln_types::{Type, TypeData};
use kiln_unit::{EntryKind, LinkInfo};
use std::sync::Arc;

/// A host function that runs as machine code.
#[derive(Debug)]
pub struct CompiledFunction {
    entry: CpuFunction,
    link: LinkInfo,
    functions: Vec<UnitFunction>,
    return_type: Type,
    is_va: bool,
    nargs: usize,
    /// Whose definitions bound how long it holds.
    typed: Arc<CodeInstance>,
}

impl Driver {
    /// Compiles `instance` as host code. `Err` says why it stays interpreted.
    pub fn compile_function(&self, rt: &Runtime, instance: Instance) -> Result<CompiledFunction, String> {
        let view = View::host(rt);
        let gathered = self.gather(rt, &view, instance, Place::Host)?;
        if let Some(problem) = gathered.problems.first() {
            return Err(format!("{:?}", problem.kind));
        }
        let return_type = gathered.functions[0].code.return_type;
        if !is_returnable(rt, return_type) {
            return Err(format!("it returns a `{}`", rt.types.display(return_type)));
        }
        let compiled = self.generate(&gathered, EntryKind::Function, false).map_err(|it| self.render(&it))?;
        let linker = self.linker()?;
        let resolve = &mut crate::loader::runtime_symbol;
        let linked = timed(&self.counters().link_ns, || linker.link(&compiled.object, resolve));
        let linked = linked.map_err(|it| it.to_string())?;
        let link = compiled.link;
        let entry = CpuFunction::new(linker, &linked, &link.entry, link.shared_bytes as usize);
        let entry = entry.ok_or("the code generator made no entry")?;
        let method = rt.tables.method(rt.tables.instance_data(instance).method);
        Ok(CompiledFunction {
            entry,
            link,
            functions: gathered.functions,
            return_type,
            is_va: method.is_va,
            nargs: method.nargs as usize,
            typed: code_instance(rt, self.counters(), &view, instance)?,
        })
    }
}

impl Driver {
    /// The inferred type of calls with this signature, `None` if inference has no answer.
    pub fn return_type(&self, rt: &Runtime, sig: Type) -> Option<Type> {
        let view = View::host(rt);
        let found = rt.tables.find_matches(sig, view.world, 4)?;
        let mut result = rt.types.core().bottom;
        for it in &found.matches {
            let method = rt.tables.method(it.method);
            let (spec, params) = rt.tables.specialize(&method, it.spec_types, &it.static_params);
            let instance = rt.tables.instance(it.method, spec, &params);
            let typed = code_instance(rt, self.counters(), &view, instance).ok()?;
            result = rt.types.union(&[result, typed.return_type]);
        }
        Some(result)
    }
}

/// Results that come back as bits, or as the address of an object that existed before.
fn is_returnable(rt: &Runtime, ty: Type) -> bool {
    let types = &rt.types;
    match types.data(ty) {
        TypeData::Bottom => true,
        TypeData::Union(members) => members.len() <= 4 && members.iter().all(|it| types.is_bits(*it)),
        _ => types.is_bits(ty) || types.is_mutable(ty) && types.is_concrete(ty),
    }
}

impl CompiledFunction {
    /// The result, from the block it was written to: a union is its payload followed by the member's number.
    fn result(&self, rt: &Runtime, block: &[u64]) -> Value {
        let bytes = arguments::bytes(block);
        let types = &rt.types;
        match types.data(self.return_type) {
            TypeData::Union(members) => {
                let payload = members.iter().filter_map(|it| types.layout(*it)).map(|it| it.size).max().unwrap_or(0);
                let tag = bytes.get(payload as usize).copied().unwrap_or(0);
                let member = members.get(tag as usize).copied().unwrap_or(members[0]);
                rt.heap.from_bits(member, &bytes[..types.layout(member).map_or(0, |it| it.size as usize)])
            }
            _ if types.is_bits(self.return_type) => {
                let size = types.layout(self.return_type).map_or(0, |it| it.size as usize);
                rt.heap.from_bits(self.return_type, &bytes[..size])
            }
            _ => rt.heap.object_at_word(block.first().copied().unwrap_or(0)).unwrap_or_else(|| rt.heap.nothing()),
        }
    }
}

impl CompiledBody for CompiledFunction {
    fn worlds(&self) -> WorldRange {
        self.typed.worlds()
    }

    fn call(&self, rt: &Runtime, args: &[Value]) -> Run {
        let Some((function, rest)) = args.split_first() else {
            return Err(rt.error("a call has a callee"));
        };
        let packed;
        let rest = if self.is_va {
            let fixed = (self.nargs - 2).min(rest.len());
            let mut all = rest[..fixed].to_vec();
            all.push(rt.heap.tuple(&rest[fixed..]));
            packed = all;
            packed.as_slice()
        } else {
            rest
        };
        let mut block = Vec::new();
        arguments::pack(rt, &self.link, *function, rest, &mut block);
        let mut result = vec![0u64; (self.link.result_bytes as usize).div_ceil(8).max(1)];
        self.entry
            .call(&block, &mut result)
            .map_err(|it| failure::exception(rt, &self.link, &self.functions, &it))?;
        Ok(self.result(rt, &result))
    }
}
