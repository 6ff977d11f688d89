//! What a launch says about how its kernel is compiled: a named tuple of options.

use crate::kernel_host::Driver;
use crate::launch_table::ConfigId;
use kiln_runtime::tables::TableId;
use kiln_runtime::{Run, Runtime, Value};
use kiln_types::{Symbol, Type};

/// How a kernel is compiled, and what messages call it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelConfig {
    /// The overlay tables the kernel sees, the front one first.
    pub method_tables: Vec<TableId>,
    /// What messages call it; `None`: the name of its function.
    pub name: Option<Symbol>,
}

/// Which fields of options are what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionFields {
    ty: Type,
    /// `method_tables`, a tuple of tables or one.
    tables: Option<usize>,
    /// `name`, a symbol.
    name: Option<usize>,
}

/// Tables that a launch usually names at most.
const TABLES_USUAL: usize = 4;

impl Driver {
    /// The configuration that options mean. Allocates nothing if they are like some before.
    ///
    /// # Errors
    /// When they are none.
    pub fn config_of(&self, rt: &Runtime, options: Value) -> Run<ConfigId> {
        let fields = self.option_fields(rt, options.ty());
        let name = fields.name.and_then(|at| rt.heap.get_field(options, at));
        let name = name.and_then(|it| it.as_symbol(rt.types.core()));
        let Some(given) = fields.tables.and_then(|at| rt.heap.get_field(options, at)) else {
            return Ok(self.intern_config(&[], name));
        };
        let wrong = || rt.argument_error("`method_tables` must be a tuple of method tables");
        if !rt.types.is_tuple(given.ty()) {
            return Ok(self.intern_config(&[rt.method_table(given).ok_or_else(wrong)?], name));
        }
        let count = rt.heap.field_count(given);
        let table = |at| rt.heap.get_field(given, at).and_then(|it| rt.method_table(it)).ok_or_else(wrong);
        if count <= TABLES_USUAL {
            let mut tables = [TableId::GLOBAL; TABLES_USUAL];
            for (at, place) in tables[..count].iter_mut().enumerate() {
                *place = table(at)?;
            }
            return Ok(self.intern_config(&tables[..count], name));
        }
        let tables = (0..count).map(table).collect::<Run<Vec<TableId>>>()?;
        Ok(self.intern_config(&tables, name))
    }

    fn option_fields(&self, rt: &Runtime, ty: Type) -> OptionFields {
        let known = self.option_fields.iter().find(|it| it.1.ty == ty).map(|it| *it.1);
        known.unwrap_or_else(|| {
            let field = |name| rt.types.field_index(ty, rt.types.symbol(name));
            let fields = OptionFields { ty, tables: field("method_tables"), name: field("name") };
            self.option_fields.push(fields);
            fields
        })
    }

    /// The number of a configuration.
    pub fn intern_config(&self, method_tables: &[TableId], name: Option<Symbol>) -> ConfigId {
        let find = || {
            let same = |it: &KernelConfig| it.method_tables == method_tables && it.name == name;
            self.configs.iter().find(|it| same(it.1)).map(|it| ConfigId(it.0 as u32))
        };
        find().unwrap_or_else(|| {
            let _alone = self.configuring.lock();
            let new = || KernelConfig { method_tables: method_tables.to_vec(), name };
            find().unwrap_or_else(|| ConfigId(self.configs.push(new()) as u32))
        })
    }

    /// What a configuration is.
    pub(crate) fn config(&self, config: ConfigId) -> &KernelConfig {
        &self.configs[config.0 as usize]
    }
}
