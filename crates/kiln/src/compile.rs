//! Compiling functions of a file ahead of time, for this machine's processor or a device.

use crate::reflect::reflect_value;
use crate::report::{Accepted, TargetOutcome};
use crate::signature::{function_and_types, run_and_evaluate};
use crate::{Error, ErrorKind, Session};
use kiln_compile::device::tools::{ToolError, check};
use kiln_compile::device::{ArtifactError, Form};
use kiln_compile::{CompileError, dialects, target};
use kiln_exec::{
    Artifact, ConfigId, ExecEnv, KernelConfig, KernelOptions, compile_for_device, dialect_tables,
};
pub use kiln_exec::{
    CNumber, CType, DescribedFrame, DescribedReference, DescribedSite, Description, Parameter,
};
use kiln_inspect::{Explained, Stage, explain};
use kiln_runtime::eval::toplevel;
use kiln_runtime::heap::tuples;
use kiln_runtime::{Value, bug};
use kiln_targets::{FileFormats, Items, TargetFacts};
use kiln_types::{Module, Type, display};
use kiln_unit::check_entry_name;

/// The options of compiling a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// The target's name: `sm_90`, `gfx1100`, `spirv64`, `bpf`, `x86-64-v3`, or one of the code generator's own.
    pub target: String,
    /// The wanted output.
    pub emit: Emit,
    /// The name on the device; `None`: the mangled name.
    pub name: Option<String>,
    /// Dimensions of the launch of a kernel of KernelAbstractions.
    pub space: Space,
    /// A function that returns something is compiled, for code of the device to call; it is refused otherwise, as no kernel
    /// returns anything.
    pub function: bool,
    /// Everything else; `name` and `target` are as above.
    pub kernel: KernelOptions,
}

/// Dimensions of the launch of a kernel that is specialized for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Space {
    /// The number of dimensions of the first array among the arguments, or one.
    OfArguments,
    /// So many, of sizes known at the launch.
    Dimensions(u32),
    /// Work-groups of this size.
    Groups(Vec<u32>),
}

/// The output of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// The form that the target's users load: PTX text, a code object, SPIR-V, an object.
    Default,
    /// Lowered code.
    Lowered,
    /// Typed and optimized code.
    Typed,
    /// One of the forms that code generation makes.
    Form(Form),
}

/// A compiled function.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The function's name.
    pub function: String,
    /// The name on the device.
    pub symbol: String,
    /// For which target.
    pub target: String,
    /// The ending that files of its kind have.
    pub extension: String,
    /// Whether it is text.
    pub is_text: bool,
    /// The contents.
    pub bytes: Vec<u8>,
    /// The description of the launch and of its sites, if it is code.
    pub description: Option<Description>,
}

/// The form that users of a target load.
fn default_form(facts: &TargetFacts) -> Form {
    if facts.files.loads_binary { Form::Binary } else { Form::Object }
}

/// The ending of a file of this form, and whether it is text.
fn kind_of(files: &FileFormats, form: Form) -> (&str, bool) {
    match form {
        Form::Llvm => ("ll", true),
        Form::Bitcode => ("bc", false),
        Form::Assembly => (&files.assembly, true),
        Form::Object => (&files.object, files.object_is_text),
        Form::Binary => (&files.binary, false),
    }
}

/// Returns the file extension for an output of a target.
pub fn extension(facts: &TargetFacts, emit: Emit) -> &str {
    match emit {
        Emit::Default => kind_of(&facts.files, default_form(facts)).0,
        Emit::Lowered => "lowered",
        Emit::Typed => "typed",
        Emit::Form(form) => kind_of(&facts.files, form).0,
    }
}

impl Session {
    /// Compiles a function of `Main` for calls with these argument types, in the device's form: `'f(Int64,
    /// Float32)'`. For a kernel of KernelAbstractions these are the arguments of its launch. The file that defines it
    /// must have been run.
    ///
    /// # Errors
    /// When the signature is invalid, the target does not exist or refuses the function, or a tool is missing.
    pub fn compile(&self, signature: &str, options: &CompileOptions) -> Result<Compiled, Error> {
        compile_by(self, compile_for_device, signature, options)
    }

    /// Returns the facts about the target, if it supports the options; looks at no function.
    ///
    /// # Errors
    /// When the target does not exist, or does not accept the value of an option.
    pub fn check_compile_options(&self, options: &CompileOptions) -> Result<TargetFacts, Error> {
        let facts = target(self.driver().compiler(), &options.target);
        let facts = facts.map_err(|it| Error::usage(format!("error: {it} (`kiln targets` lists them)")))?;
        let device = options.kernel.device_options();
        kiln_targets::check_options(&facts, &device).map_err(|it| Error::usage(format!("error: {it}")))?;
        match options.name.as_deref().map(check_entry_name) {
            Some(Err(why)) => Err(Error::usage(format!("error: --name: {why}"))),
            Some(Ok(())) | None => Ok(facts),
        }
    }

    /// Returns the units that a launch of a function of a file runs, and for a device its artifact: their keys in the
    /// store, and their state there. Compiled by `options`, or without them as the file launches it.
    ///
    /// # Errors
    /// When the file fails, the signature is invalid, the function is not a kernel, or there is no store.
    pub fn explain(
        &self,
        path: &str,
        signature: &str,
        options: Option<&CompileOptions>,
    ) -> Result<Vec<Explained>, Error> {
        let facts = options.map(|it| self.check_compile_options(it)).transpose()?;
        let (mut function, mut args) = run_and_evaluate(self, path, signature)?;
        let mut config = None;
        if let (Some(options), Some(facts)) = (options, facts) {
            (function, args) = self.alone(|| entry_of(self, function, args, &options.space))?;
            config = Some(config_for(self, &facts, options)?);
        }
        self.alone(|| {
            explain(&self.exec_env(), function, args, config)
                .map_err(|it| Error::of_inspection(self.driver().compiler(), &self.front, &it))
        })
    }
}

/// As [`Session::compile`], for a processor and for programs that have no session.
pub(crate) fn compile_for_library(
    session: &Session,
    signature: &str,
    options: &CompileOptions,
) -> Result<Compiled, Error> {
    let make: Make = |env, job, config, _| kiln_exec::compile_for_library(env, job, config);
    compile_by(session, make, signature, options)
}

/// The stage that makes an artifact.
type Make = fn(&ExecEnv<'_>, (Type, Type), ConfigId, Form) -> Result<Artifact, ArtifactError>;

fn compile_by(
    session: &Session,
    make: Make,
    signature: &str,
    options: &CompileOptions,
) -> Result<Compiled, Error> {
    let facts = session.check_compile_options(options)?;
    let (given, args) = function_and_types(session, signature)?;
    let (function, args) = session.alone(|| entry_of(session, given, args, &options.space))?;
    let is_made = session.rt.heap.dispatch_type(function) != session.rt.heap.dispatch_type(given);
    if options.space != Space::OfArguments && !is_made {
        let all = dialects::records(&session.rt).into_iter();
        let over_spaces = all.filter(|it| dialects::field(&session.rt, *it, "launch_types").is_some());
        let names: Vec<String> = over_spaces.filter_map(|it| dialects::name(&session.rt, it)).collect();
        return Err(Error::usage(format!(
            "error: {signature} is no kernel of {}: --dims and --groupsize say nothing of it",
            names.join(", ")
        )));
    }
    session.alone(|| compile_entry(session, (function, args), &facts, options, make))
}

/// Returns the configuration of a function for a target.
fn config_for(session: &Session, facts: &TargetFacts, options: &CompileOptions) -> Result<ConfigId, Error> {
    let types = &session.rt.types;
    let kernel = KernelOptions {
        name: options.name.as_deref().map(|it| types.symbol(it)),
        target: Some(types.symbol(&facts.name)),
        ..options.kernel.clone()
    };
    let config = KernelConfig { method_tables: dialect_tables(&session.rt), options: kernel };
    session.exec_env().intern(&config).map_err(|it| Error::usage(it.to_string()))
}

fn compile_entry(
    session: &Session,
    (function, args): (Value, Type),
    facts: &TargetFacts,
    options: &CompileOptions,
    make: Make,
) -> Result<Compiled, Error> {
    let types = &session.rt.types;
    let name = display::of_type(types, session.rt.heap.dispatch_type(function));
    let name = name.strip_prefix("typeof(").and_then(|it| it.strip_suffix(')')).unwrap_or(&name).to_owned();
    let plain = |bytes: Vec<u8>, extension: &str| Compiled {
        function: name.clone(),
        symbol: name.clone(),
        target: facts.name.clone(),
        extension: extension.to_owned(),
        is_text: true,
        bytes,
        description: None,
    };
    let config = config_for(session, facts, options)?;
    let form = match options.emit {
        Emit::Lowered => {
            return Ok(plain(
                reflect_value(session, Stage::Lowered, function, args, Some(config))?,
                "lowered",
            ));
        }
        Emit::Typed => {
            return Ok(plain(reflect_value(session, Stage::Typed, function, args, Some(config))?, "typed"));
        }
        Emit::Default => default_form(facts),
        Emit::Form(form) => form,
    };
    let job = (session.rt.heap.dispatch_type(function), args);
    let made = make(&session.exec_env(), job, config, form);
    let made = made.map_err(|it| match it {
        ArtifactError::Compile(error) => {
            Error::of_compilation(session.driver().compiler(), &session.front, &error)
        }
        ArtifactError::Tool(error) => Error::new(ErrorKind::Tool, format!("error[tool]: {error}")),
    });
    let Artifact { symbol, bytes, description, returns } = made?;
    // Where nothing runs items, a function is what is run.
    if let Some(returns) = returns.filter(|_| !options.function && facts.items != Items::None) {
        return Err(Error::program(format!(
            "error[kernel-returns]: `{name}` returns a value of type `{}`, and a kernel returns nothing\n\
             help: end it with `return`, or compile it as a function that other code calls, with --function",
            display::of_type(types, returns)
        )));
    }
    let (extension, is_text) = kind_of(&facts.files, form);
    Ok(Compiled {
        function: name,
        symbol,
        target: facts.name.clone(),
        extension: extension.to_owned(),
        is_text,
        bytes,
        description: Some(description),
    })
}

/// Returns the entry that a launch of `function` with these arguments runs, and its types: another function for the constructors of
/// kernels that KernelAbstractions makes.
pub(crate) fn entry_of(
    session: &Session,
    function: Value,
    args: Type,
    space: &Space,
) -> Result<(Value, Type), Error> {
    let space = match space {
        Space::OfArguments => "nothing".to_owned(),
        Space::Dimensions(count) => count.to_string(),
        Space::Groups(sizes) => {
            format!("({},)", sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
        }
    };
    let (heap, main) = (&session.rt.heap, Module::MAIN);
    let evaluate =
        |text: &str| toplevel::eval_string(&session.rt, main, text).map_err(|it| session.failure(&it));
    let (entry_of, space) = (evaluate("Base.Device.entry_of")?, evaluate(&space)?);
    let found = session.rt.call_latest(entry_of, &[function, heap.type_value(args), space]);
    let found = tuples::values(heap, found.map_err(|it| session.failure(&it))?);
    let [function, args] = found[..] else { return Err(Error::program("error: no kernel")) };
    let args = args.as_type(session.rt.types.core()).ok_or_else(|| Error::program("error: no kernel"))?;
    Ok((function, args))
}

/// Compiles a kernel for a target and shows it to the vendor's tool.
pub(crate) fn survey_target(session: &Session, function: Value, args: Type, name: &str) -> TargetOutcome {
    let outcome = |accepted, reason: String| TargetOutcome { target: name.to_owned(), accepted, reason };
    let facts = match target(session.driver().compiler(), name) {
        Ok(facts) => facts,
        Err(why) => return outcome(Accepted::No, why.to_string()),
    };
    let config = KernelConfig {
        method_tables: dialect_tables(&session.rt),
        options: KernelOptions { target: Some(session.rt.types.symbol(name)), ..KernelOptions::default() },
    };
    let job = (session.rt.heap.dispatch_type(function), args);
    let made = bug::catch(|| {
        let env = session.exec_env();
        let config = env.intern(&config).map_err(CompileError::from)?;
        compile_for_device(&env, job, config, Form::Object)
    });
    match made {
        Err(bug) => outcome(Accepted::No, bug.to_string()),
        Ok(Err(ArtifactError::Compile(error))) => {
            let is_limit = error.kind == kiln_compile::ErrorKind::Limit;
            let accepted = if is_limit { Accepted::Limit } else { Accepted::No };
            outcome(accepted, session.driver().compiler().render(&error.diagnostics))
        }
        Ok(Err(ArtifactError::Tool(error))) => outcome(Accepted::No, error.to_string()),
        Ok(Ok(made)) => match check(&session.driver().compiler().options.tools, &facts, &made.bytes) {
            Ok(()) => outcome(Accepted::Yes, String::new()),
            Err(ToolError::Missing(tool)) => outcome(Accepted::Unchecked, format!("no {}", tool.name)),
            Err(error) => outcome(Accepted::No, error.to_string()),
        },
    }
}
