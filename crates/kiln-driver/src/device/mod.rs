//! Kernels on devices: their memory, streams and launches, and artifacts for users.

pub(crate) mod addresses;
pub mod ahead;
pub(crate) mod chosen;
pub(crate) mod coherence;
pub mod description;
pub(crate) mod entry;
pub mod found;
pub(crate) mod launching;
pub(crate) mod streams;

use crate::kernel_host::Driver;
use crate::launch_table::ConfigId;
use description::Description;
use kiln_compile::device::{DeviceProgram, Form, Unmakable, finish::finish, make_for_device};
use kiln_compile::{ErrorKind, View, entry_instance, keep};
use kiln_ir::Instance;
use kiln_runtime::Runtime;
use kiln_syntax::Diagnostic;
use kiln_types::{Symbol, Type};
use kiln_unit::Wanted;

/// The artifact for users of a device.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The entry's name on the device.
    pub symbol: String,
    /// The form that was asked for.
    pub bytes: Vec<u8>,
    /// How it is launched, and what its sites mean.
    pub description: Description,
    /// The type of what a function returns; `None` for a kernel.
    pub returns: Option<Type>,
}

impl Driver {
    /// A function compiled as `config` says, for calls with arguments of these types. It is a kernel if it returns nothing.
    ///
    /// # Errors
    /// The problems of the program, or of a tool.
    pub fn compile_for_device(
        &self,
        rt: &Runtime,
        (function, args): (Type, Type),
        config: ConfigId,
        form: Form,
    ) -> Result<Artifact, Unmakable> {
        let wanted = Wanted {
            optimized: matches!(form, Form::Llvm | Form::Bitcode),
            assembly: form == Form::Assembly,
            object: matches!(form, Form::Object | Form::Binary),
            linked: false,
        };
        let name = self.config(config).options.name;
        let (view, entry, made) = self.made_for_device(rt, (function, args), config, (name, wanted))?;
        let bytes = finish(&self.env(rt, &view), (entry, &made.code.composed), form)?;
        let description = description::describe(rt, &view.unit.facts, &made);
        let returns = made.program.entry_function().code(rt).return_type;
        let returns = (!rt.types.subtype(returns, rt.types.core().nothing)).then_some(returns);
        Ok(Artifact { symbol: made.code.symbol, bytes, description, returns })
    }

    /// The program of a function, what it was compiled for and its instance. The device calls it `name`, or by its mangled
    /// name, as it does in launches.
    pub(crate) fn made_for_device(
        &self,
        rt: &Runtime,
        (function, args): (Type, Type),
        config: ConfigId,
        (name, wanted): (Option<Symbol>, Wanted),
    ) -> Result<(View, Instance, DeviceProgram), Unmakable> {
        let view = self.config_view(rt, config);
        let rendered = |it: Vec<Diagnostic>| Unmakable::Program(self.compiler.render(&it));
        let entry = entry_instance(&self.env(rt, &view), function, args).map_err(rendered)?;
        let make = || make_for_device(&self.env(rt, &view), entry, name, wanted);
        let made = self.compiling(rt, entry, true, make);
        let made = made.map_err(|it| {
            // The next session finds out sooner.
            it.dependencies.iter().flat_map(|it| it.iter()).for_each(|part| keep(&self.env(rt, &view), part));
            let problems = self.compiler.render(&it.diagnostics);
            match it.kind {
                ErrorKind::Program => Unmakable::Program(problems),
                ErrorKind::Limit => Unmakable::Refused(problems),
                ErrorKind::Tool => Unmakable::Unasked(problems),
                ErrorKind::Internal => Unmakable::Internal(problems),
            }
        })?;
        Ok((view, entry, made))
    }
}
