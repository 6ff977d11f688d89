//! Kernels compiled where an image is built, for devices that need not be there: each that a launch asks for, those that these
//! have the host launch, and each that `precompile` names with arguments as a device has them.
//!
//! They are compiled as a launch on such a device would have them compiled, so that it finds them by the keys it makes of
//! its own job: nothing of an image says which kernel is which.

use super::Unmakable;
use super::addresses::visit;
use crate::children::Child;
use crate::kernel_host::Driver;
use crate::launch_table::{ConfigId, KernelJob};
use kiln_compile::{Program, code_instance, device::finish::machine_code, entry_instance, specialization};
use kiln_ir::Instance;
use kiln_metrics::count;
use kiln_runtime::Runtime;
use kiln_targets::{Finish, Items, TargetFacts};
use kiln_types::Type;
use kiln_unit::Wanted;

/// A kernel that an image lacks for a target, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The kernel's name for users.
    pub kernel: String,
    /// The target's name.
    pub target: String,
    /// The problems, rendered.
    pub why: String,
}

impl Driver {
    /// Compiles the kernel of a job for every device that an image is built for.
    pub(crate) fn compile_ahead(&self, rt: &Runtime, job: &KernelJob) {
        let named = self.config(job.config).options.target.map(|it| rt.types.name(it));
        for facts in self.image_devices().iter().filter(|it| it.items == Items::Device) {
            if named.is_none_or(|it| it == facts.name) {
                self.compile_ahead_for(rt, (job.function, job.args, job.config), facts);
            }
        }
    }

    /// Compiles an instance as a kernel for every device that an image is built for, if it is one: it returns nothing, and
    /// some argument has an address in it. Targets that have no items run functions. Whether it is a kernel, or a function of
    /// such a target.
    pub(crate) fn precompile_kernel(&self, rt: &Runtime, instance: Instance) -> bool {
        let devices = self.image_devices();
        let types = rt.types.params(rt.tables.instance_data(instance).spec_types).to_vec();
        let Some((function, args)) = types.split_first().filter(|_| !devices.is_empty()) else {
            return false;
        };
        let mut has_address = false;
        for ty in args {
            visit(&rt.types, *ty, (0, &[]), &mut |_, _| has_address = true);
        }
        let config = self.plain_config(rt, &self.dialect_tables(rt));
        let job = (*function, rt.types.tuple(args), config);
        let mut is_kernel = false;
        for facts in devices {
            let is_for_it = match facts.items {
                Items::None => true,
                Items::Device | Items::Loops => has_address && self.returns_nothing(rt, job, facts),
            };
            is_kernel |= is_for_it && self.compile_ahead_for(rt, job, facts);
        }
        is_kernel
    }

    fn returns_nothing(
        &self,
        rt: &Runtime,
        (function, args, config): (Type, Type, ConfigId),
        facts: &TargetFacts,
    ) -> bool {
        let Ok(config) = self.config_unless_told(rt, config, facts) else { return false };
        let view = self.config_view(rt, config);
        let entry = entry_instance(&self.env(rt, &view), function, args);
        let typed = entry.ok().and_then(|it| code_instance(&self.env(rt, &view), it).ok());
        typed.is_some_and(|it| rt.types.subtype(it.return_type, rt.types.core().nothing))
    }

    /// Whether it could be compiled. If not, that is remembered.
    fn compile_ahead_for(
        &self,
        rt: &Runtime,
        (function, args, config): (Type, Type, ConfigId),
        facts: &TargetFacts,
    ) -> bool {
        let job = (function, args, config);
        let mut asked = vec![job];
        let made = self.make_ahead(rt, job, facts);
        let mut children = made.as_ref().map_or_else(|_| Vec::new(), |it| self.children(rt, it));
        while let Some(child) = children.pop() {
            if !asked.contains(&child) {
                asked.push(child);
                // Its own launch says why it does not compile.
                let made = self.make_ahead(rt, child, facts);
                children.extend(made.map_or_else(|_| Vec::new(), |it| self.children(rt, &it)));
            }
        }
        let why = match made {
            Ok(_) => return true,
            Err(
                Unmakable::Program(why)
                | Unmakable::Refused(why)
                | Unmakable::Internal(why)
                | Unmakable::Unasked(why),
            ) => why,
            Err(Unmakable::Tool(error)) => error.to_string(),
        };
        let kernel = self.kernel_name(rt, (function, args, config));
        let lacking = Missing { kernel, target: facts.name.clone(), why };
        let mut all = self.lacking.lock();
        if !all.contains(&lacking) {
            all.push(lacking);
        }
        false
    }

    /// Compiles a kernel for a device; what its units are.
    fn make_ahead(
        &self,
        rt: &Runtime,
        (function, args, config): Child,
        facts: &TargetFacts,
    ) -> Result<Program, Unmakable> {
        let config = self.config_unless_told(rt, config, facts).map_err(Unmakable::Program)?;
        let wanted = Wanted { object: true, ..Wanted::default() };
        let (_, entry, made) = self.made_for_device(rt, (function, args), config, (None, wanted))?;
        count(&self.counters().kernels_ahead);
        let object = &made.code.composed.object;
        // The driver links what launches kernels.
        let is_assembled = matches!(facts.tools.finish, Finish::Assemble { .. });
        let is_whole = is_assembled && !kiln_unit::needs_device_runtime(object);
        if self.image_machine_code() && is_whole {
            let machine_code = machine_code(&self.compiler, facts, &specialization(rt, entry), object);
            machine_code.map_err(Unmakable::Tool)?;
        }
        Ok(made.program)
    }

    fn kernel_name(&self, rt: &Runtime, (function, args, config): (Type, Type, ConfigId)) -> String {
        let entry = entry_instance(&self.env(rt, &self.config_view(rt, config)), function, args);
        entry.map_or_else(|_| rt.types.display(function), |it| specialization(rt, it))
    }

    /// The kernels that an image will lack for devices it is built for.
    pub fn lacking(&self) -> Vec<Missing> {
        self.lacking.lock().clone()
    }

    /// How what is configured so is compiled for a target, unless it is for one already.
    ///
    /// # Errors
    /// When there is no such target.
    pub(crate) fn config_unless_told(
        &self,
        rt: &Runtime,
        config: ConfigId,
        facts: &TargetFacts,
    ) -> Result<ConfigId, String> {
        let is_for_one = self.config(config).options.target.is_some();
        if is_for_one { Ok(config) } else { self.config_for(rt, Some(config), facts) }
    }
}
