//! The command line as data.

use crate::build::args::BuildArgs;
use crate::code_args::CodeArgs;
use crate::timings_format::TimingsFormat;
use clap::{Args, Parser, Subcommand, ValueEnum};
use kiln::targets::{DeviceModel, FAMILIES, lookup};
use kiln::{CheckBounds, Checks, DeviceChoice, Isolation};
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  kiln run saxpy.jl                      run a file; every kernel it launches is compiled
  kiln run --timings=json saxpy.jl a b   say on standard error where the time went; a and b are ARGS
  kiln run --timings=trace=t.json saxpy.jl   write a trace, to be opened at ui.perfetto.dev or chrome://tracing
  kiln run --device opencl saxpy.jl      run its kernels on an OpenCL device
  kiln run --as sm_80 saxpy.jl           run it on the processor, within the limits of that GPU
  kiln test --as gfx1100 Package.jl      run the tests of a package so
  kiln -e 'println(1 + 2)'               run one line
  kiln reflect typed saxpy.jl '{saxpy}'
                                         show what inference made of a function
  kiln run --device-code code saxpy.jl   write what each stage made of the kernels that were launched
  kiln reflect ptx -t sm_90 saxpy.jl '...'   show what a GPU would be given; there need not be one
  kiln compile -t sm_90,gfx1100,spirv64 saxpy.jl '{saxpy}'
                                         compile it for GPUs, and write a file each
  kiln image build app.jl -o app.kimg    compile every kernel the file launches, ahead of time
  kiln run --image app.kimg app.jl       run it and compile nothing that has not changed
  kiln image build -t sm_90,gfx1100,spirv64 app.jl
                                         the same for GPUs as well, none of which need be there

Files written for {packages} run on this machine's processor, or on its GPU.
Exit status: 0, 1 when the program failed, 2 when the command line is wrong.
Environment: NO_COLOR (no colour), KILN_CODEGEN (the code generator to open; it may have targets of its own), KILN_DEVICE
(what kernels run on: see `kiln run --help`), KILN_DEVICE_LIBRARY (as --device-library), KILN_CORPUS (package checkouts), JULIA_PROJECT,
JULIA_LOAD_PATH, JULIA_DEPOT_PATH (environments of packages: docs/packages.md),
KILN_CACHE (off, ro, rw, verify, recache: what may be done with the cache of compiled code; verify=1/N compiles one of N
units that are found again, and compares), KILN_CACHE_DIR, KILN_CACHE_MAX, KILN_TARGETS (targets that code is shown for where
none is named).";

const COMPILE_EXAMPLES: &str = "\
Examples:
  kiln compile -t sm_90 saxpy.jl '{saxpy}'
                                         PTX, on standard output
  kiln compile -t sm_90,gfx1100,spirv64 -o build/ saxpy.jl 'saxpy!(...)' 'scale!(...)'
                                         a file for each function and target, in a folder
  kiln compile -t sm_90 --emit bin --maxthreads 256 -o saxpy.cubin saxpy.jl 'saxpy!(...)'
                                         machine code (with ptxas), for blocks of at most 256 threads
  kiln compile -t znver4 --emit asm --name saxpy saxpy.jl 'saxpy!(Ptr{Float32}, Float32, Ptr{Float32}, Int64)'
                                         assembly for a processor; its object is called as include/kiln.h says
  kiln compile -t spirv64 --groupsize 16,16 blur.jl '{blur}'
                                         {indexed}, for work-groups of 16 by 16
  kiln compile --json -t sm_90 -o saxpy.ptx saxpy.jl 'saxpy!(...)'
                                         one line of JSON: symbol, file, how the entry is called, or what went wrong

An option that no target of the command takes is an error; with several targets, those that do not take it are told of.
LLVM runs in a process of its own for what --isolate says; if it fails or ends, the others are compiled all the same.

Exit status: 0 if everything was compiled and written, 1 if something was not, 2 if the command line is wrong (nothing, or
what it is wrong for, was compiled).";

const TEST_NOTES: &str = "\
`using` finds the package of DIR, what its project files and manifests name, and checkouts in KILN_CORPUS (docs/packages.md); what
is named and not there is listed as missing. Tests run in their folder, with all bounds checks unless --check-bounds says otherwise.

Exit status: 0 if all tests passed, 1 if some did not or --check found anything, 2 if there are no tests or the command line is wrong.";

/// A text of examples; words of the dialects are in braces.
fn with_dialects(text: &str) -> String {
    kiln::dialect_words().fold(text.to_owned(), |text, (key, word)| text.replace(&format!("{{{key}}}"), word))
}

/// kiln compiles GPU kernels written in Julia, without Julia.
#[derive(Debug, Parser)]
#[command(name = "kiln", version, args_conflicts_with_subcommands = true, about, after_help = with_dialects(EXAMPLES), max_term_width = 100)]
pub(crate) struct Cli {
    /// Run this code
    #[arg(short = 'e', long = "eval", value_name = "CODE")]
    eval: Option<String>,
    #[command(flatten)]
    pub(crate) every: EveryArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// The options of every command.
#[derive(Debug, Args)]
pub(crate) struct EveryArgs {
    /// The bounds checks to perform, on the host and in kernels: yes (all, despite `@inbounds`), no (none), auto
    #[arg(long, global = true, value_name = "yes|no|auto")]
    pub(crate) check_bounds: Option<CheckBounds>,
    /// The active project: a folder with a project file, or that file; without a value, the nearest above the working directory
    #[arg(long, global = true, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = "@.")]
    pub(crate) project: Option<String>,
}

/// The arguments of `kiln run` alone. A description of every command takes longer to make than these take to read.
#[derive(Debug, Parser)]
struct RunOnly {
    #[command(flatten)]
    every: EveryArgs,
    #[command(flatten)]
    run: RunArgs,
}

impl Cli {
    /// Reads the command line of the process. Ends it when that is wrong, or asks for help.
    pub(crate) fn read() -> Self {
        let line: Vec<OsString> = std::env::args_os().collect();
        if line.get(1).is_some_and(|it| it == "run")
            && let Ok(RunOnly { every, run }) = RunOnly::try_parse_from(&line[1..])
        {
            return Self { eval: None, every, command: Some(Command::Run(Box::new(run))) };
        }
        Self::parse_from(line)
    }

    /// Returns the given command, if there is one.
    pub(crate) fn plan(self) -> Option<Command> {
        self.eval.map(|code| Command::Eval { code }).or(self.command)
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a Julia file; kernels are compiled, host code is interpreted
    Run(Box<RunArgs>),
    /// Run the tests of a package, test/runtests.jl, with the package and its dependencies
    #[command(after_help = TEST_NOTES)]
    Test(TestArgs),
    /// Run code given on the command line
    #[command(hide = true)]
    Eval {
        /// The code
        code: String,
    },
    /// Show a stage of a function; compiles nothing that is in the cache
    Reflect {
        /// Write a failure, and each warning, as one line of JSON, with its diagnostics, to standard error; and an analysis as one
        /// line of JSON
        #[arg(long)]
        json: bool,
        /// Print the time of each stage to standard error: text, json, trace, or trace=FILE, which writes a trace to
        /// the file
        #[arg(long, value_parser = TimingsFormat::parse, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
        timings: Option<TimingsFormat>,
        /// The target: sm_90, gfx1100, spirv64, ...; the default is the target of the kernel's launch, and for a
        /// stage of one kind of target the first of that kind in KILN_TARGETS (else sm_80, gfx90a, spirv64, metal and bpf)
        #[arg(long, short = 't', value_name = "TARGET")]
        target: Option<String>,
        /// The stage
        #[arg(value_enum)]
        stage: Stage,
        /// The file that defines the function; it runs first, with its launches and its output
        file: String,
        /// The function and its argument types: 'f(Int64, Float32)'
        signature: String,
        /// The program's ARGS, after `--`
        #[arg(last = true)]
        args: Vec<String>,
    },
    /// Compile functions of a file for GPUs or processors, into files for drivers, loaders and linkers
    #[command(after_help = with_dialects(COMPILE_EXAMPLES))]
    Compile(Box<CompileArgs>),
    /// Build libraries for programs in C: shared ones, archives, objects, and headers
    #[command(after_help = with_dialects(crate::build::args::NOTES))]
    Build(Box<BuildArgs>),
    /// Look up packages: what a program would load
    Pkg(PkgArgs),
    /// List the targets, and the installed devices and tools
    Targets(TargetsArgs),
    /// Inspect and maintain the cache of compiled code
    Cache(CacheArgs),
    /// Build images: kernels compiled ahead of time, for programs that start at once
    Image(ImageArgs),
    /// Look into Metal libraries (.metallib files)
    Metallib(MetallibArgs),
    /// Run the code generator by itself
    #[command(hide = true)]
    Codegen(CodegenArgs),
    /// Report the progress of kernels of other repositories: parsed, loaded, inferred to static code, compiled
    #[command(hide = true)]
    Report(ReportArgs),
}

/// Arguments of `kiln run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Write a failure, and each warning, as one line of JSON, with its diagnostics, to standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the time of each stage to standard error: text, json, trace, or trace=FILE, which writes a trace to
    /// the file
    #[arg(long, value_parser = TimingsFormat::parse, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) timings: Option<TimingsFormat>,
    /// Take compiled code from this image, where it is valid
    #[arg(long, value_name = "IMAGE")]
    pub(crate) image: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) device: DeviceArgs,
    /// Print the device of kernels to standard error
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Collect garbage so often that objects take no more memory than this, if they can: bytes, or with K, M or G
    #[arg(long, value_name = "SIZE", value_parser = crate::cache::size)]
    pub(crate) heap_size_hint: Option<u64>,
    /// Write the stages of every launched kernel to this folder, one file each
    #[arg(long, value_name = "DIR")]
    pub(crate) device_code: Option<PathBuf>,
    /// With --device-code: for these targets, instead of the device of the launch
    #[arg(long, value_name = "TARGETS", value_delimiter = ',', requires = "device_code")]
    pub(crate) device_code_for: Vec<String>,
    /// The file
    pub(crate) file: String,
    /// The program's ARGS
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
}

/// The device of kernels.
#[derive(Debug, Args)]
pub(crate) struct DeviceArgs {
    /// The device for kernels: auto (an NVIDIA GPU if there is one, else the processor), cpu, cuda, opencl; a number
    /// picks one of several: cuda:1. `kiln targets` lists them
    #[arg(long, value_name = "DEVICE")]
    pub(crate) device: Option<DeviceChoice>,
    /// Imitate the device of this target (sm_80, gfx1100) on the processor: its limits of launches and its answers;
    /// `kiln targets` lists the targets
    #[arg(long = "as", value_name = "TARGET", value_parser = device_model, conflicts_with = "device")]
    pub(crate) imitated: Option<DeviceModel>,
    /// Run kernels on the processor with checks: memory, race, barrier, uninit, with commas between them, or all; what
    /// they find is written to standard error, and the exit code is 1 (docs/sanitizer.md)
    #[arg(long, value_name = "CHECKS", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub(crate) check: Option<Checks>,
    /// A bitcode library of device functions (libdevice.10.bc, ocml.bc): kernels can call its functions, and use
    /// it for mathematical functions; `auto` takes the installed ones, which `kiln targets` lists
    #[arg(long, value_name = "PATH")]
    pub(crate) device_library: Vec<PathBuf>,
}

/// Returns the device of a target.
fn device_model(name: &str) -> Result<DeviceModel, String> {
    let facts = lookup(name).ok_or("there is no such target; `kiln targets` lists those there are")?;
    facts.device_model().ok_or_else(|| {
        let known =
            FAMILIES.iter().filter(|it| lookup(it.shown).is_some_and(|it| it.device_model().is_some()));
        let known: Vec<&str> = known.map(|it| it.pattern).collect();
        format!("its devices differ, or are none; those of {} can be imitated", known.join(", "))
    })
}

/// Arguments of `kiln test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Write a failure as one line of JSON, with its diagnostics, to standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the time of each stage to standard error: text, json, trace, or trace=FILE, which writes a trace to
    /// the file
    #[arg(long, value_parser = TimingsFormat::parse, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) timings: Option<TimingsFormat>,
    #[command(flatten)]
    pub(crate) device: DeviceArgs,
    /// The package's folder, or a file of tests
    #[arg(default_value = ".", value_name = "DIR|FILE")]
    pub(crate) place: PathBuf,
    /// The ARGS of the tests, after `--`: options before it are kiln's
    #[arg(last = true)]
    pub(crate) args: Vec<String>,
}

/// Arguments of `kiln pkg`.
#[derive(Debug, Args)]
pub(crate) struct PkgArgs {
    #[command(subcommand)]
    pub(crate) command: PkgCommand,
}

impl PkgArgs {
    /// Whether the answer is a line of JSON.
    pub(crate) fn is_json(&self) -> bool {
        match self.command {
            PkgCommand::Status { json } | PkgCommand::Why { json, .. } => json,
        }
    }
}

/// Look-ups of packages.
#[derive(Debug, Subcommand)]
pub(crate) enum PkgCommand {
    /// List the environments of the load path, and the packages of the active project: where each is, and which are missing
    Status {
        /// Write one line of JSON
        #[arg(long)]
        json: bool,
    },
    /// Say which package a name means, where it is, and which of kiln's modules stands in for it
    Why {
        /// Write one line of JSON
        #[arg(long)]
        json: bool,
        /// The package
        name: String,
        /// The package in whose code the name stands; without it, a program
        #[arg(long, value_name = "PACKAGE")]
        within: Option<String>,
    },
}

/// Arguments of `kiln compile`.
#[derive(Debug, Args)]
pub(crate) struct CompileArgs {
    /// Write one line of JSON that lists the outputs
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the time of each stage to standard error: text, json, trace, or trace=FILE, which writes a trace to the
    /// file
    #[arg(long, value_parser = TimingsFormat::parse, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) timings: Option<TimingsFormat>,
    /// Targets: sm_90, gfx1100, spirv64, metal, bpf, x86-64-v3, znver4, native; `kiln targets` lists them
    #[arg(long, short = 't', value_name = "TARGETS", value_delimiter = ',', default_value = "native")]
    pub(crate) target: Vec<String>,
    /// Take compiled code from this image, where it is valid
    #[arg(long, value_name = "IMAGE")]
    pub(crate) image: Option<PathBuf>,
    /// The output; the default is the target's usual form: PTX text, hsaco, SPIR-V, metallib, an object
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) emit: Option<EmitArg>,
    /// The output file, or a folder for several outputs; `-` is standard output
    #[arg(short = 'o', long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Compile functions that return a value, for other code to call; without it they are an error
    #[arg(long)]
    pub(crate) function: bool,
    /// Write to this file, as JSON, how to launch each kernel and the meaning of failing items' site numbers
    /// (docs/artifacts.md)
    #[arg(long, value_name = "FILE")]
    pub(crate) sites: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) kernel: KernelArgs,
    /// Kernels that LLVM compiles in a separate process, where it may crash: never, risky (SPIR-V, and with device
    /// libraries; the default), devices
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "devices")]
    pub(crate) isolate: Option<Isolation>,
    /// The time limit of such a process for one request, in seconds; the default is 300
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: Option<u64>,
    /// The file that defines the functions; it is run
    pub(crate) file: String,
    /// Functions and their argument types, in the device's form: 'f(Ptr{Float32}, Int64)'
    #[arg(required = true)]
    pub(crate) signatures: Vec<String>,
}

/// The options of compiling a kernel.
#[derive(Debug, Args)]
pub(crate) struct KernelArgs {
    /// The kernel's name on the device, instead of the mangled name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// For a kernel over a space of indices: the number of dimensions of its launch
    #[arg(long, value_name = "N", conflicts_with = "groupsize", value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) dims: Option<u32>,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
    /// Inline every possible call
    #[arg(long)]
    pub(crate) always_inline: bool,
    /// The exact number of threads of a block: 256, or 16,16
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) minthreads: Option<Vec<u32>>,
    /// The maximum number of threads of a block
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) maxthreads: Option<Vec<u32>>,
    /// The minimum number of blocks that fit on a multiprocessor at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) blocks_per_sm: Option<u32>,
    /// The maximum number of registers of a thread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) maxregs: Option<u32>,
    /// PTX version: 8.0
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(crate) ptx: Option<u32>,
    /// Code object version for AMD GPUs: 4, 5 or 6
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(u32).range(4..=6))]
    pub(crate) code_object: Option<u32>,
    /// For Metal libraries: the release of macOS, 14, 15 or 26; the default is that of the target, or 15
    #[arg(long, value_name = "RELEASE")]
    pub(crate) macos: Option<String>,
    /// For Metal libraries: the version of AIR, if it is earlier than that of the release: 2.6
    #[arg(long, value_name = "VERSION")]
    pub(crate) air: Option<String>,
    /// For Metal libraries: the version of the Metal language, if it is earlier than that of the release: 3.1
    #[arg(long, value_name = "VERSION")]
    pub(crate) metal: Option<String>,
    /// SPIR-V extensions of the driver: +SPV_KHR_expect_assume
    #[arg(long, value_name = "LIST")]
    pub(crate) extensions: Option<String>,
    /// A bitcode library of device functions (libdevice.10.bc, ocml.bc): kernels can call its functions, and use it
    /// for mathematical functions; `auto` takes the installed ones, which `kiln targets` lists
    #[arg(long, value_name = "PATH")]
    pub(crate) device_library: Vec<PathBuf>,
}

/// `8.0` as 80.
fn version(text: &str) -> Result<u32, String> {
    let parsed = text.split_once('.').and_then(|(major, minor)| {
        let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
        (minor < 10).then_some(major.checked_mul(10)? + minor)
    });
    parsed.ok_or_else(|| "a version is two numbers: 8.0, say".into())
}

/// The outputs of `kiln compile`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum EmitArg {
    /// Lowered code
    Lowered,
    /// Typed and optimized code
    Typed,
    /// LLVM IR after optimization
    Llvm,
    /// LLVM bitcode after optimization
    Bitcode,
    /// Assembler text
    Asm,
    /// PTX, an object, SPIR-V
    Obj,
    /// The output of the vendor's tool: a cubin, an hsaco
    Bin,
    /// The module of a Metal library, as raw bitcode
    Air,
    /// A Metal library
    Metallib,
}

/// Arguments of `kiln targets`.
#[derive(Debug, Args)]
pub(crate) struct TargetsArgs {
    /// Write one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `kiln metallib`.
#[derive(Debug, Args)]
pub(crate) struct MetallibArgs {
    /// Write one line of JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: MetallibCommand,
}

/// The operations of `kiln metallib`.
#[derive(Debug, Subcommand)]
pub(crate) enum MetallibCommand {
    /// List the functions of a library, with their versions and the sizes of their modules
    Ls {
        /// The library
        file: PathBuf,
    },
    /// Write the module of a function as raw bitcode, which `llvm-dis` shows
    Extract {
        /// The library
        file: PathBuf,
        /// The function; it may be left out if there is one
        function: Option<String>,
        /// The output file; `-` is standard output
        #[arg(short = 'o', long, value_name = "OUT", default_value = "-")]
        out: PathBuf,
    },
}

/// Arguments of `kiln cache`.
#[derive(Debug, Args)]
pub(crate) struct CacheArgs {
    /// Write one line of JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: CacheCommand,
}

/// The operations of `kiln cache`.
#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Show the contents of the cache and the time it has saved
    Stats,
    /// List every entry
    Ls,
    /// Show an entry and every part of its key
    Show {
        /// The first digits of the key
        key: String,
    },
    /// Show the units of a kernel that are in the cache, and the changes that make others miss; for a device also the
    /// artifact. Without --target, and without other options, as the file launches it
    Explain {
        /// The target: sm_90, gfx1100, spirv64, ...; this machine's processor if other options are given
        #[arg(long, short = 't', value_name = "TARGET")]
        target: Option<String>,
        #[command(flatten)]
        kernel: Box<KernelArgs>,
        /// The file that defines the function
        file: String,
        /// The function and its argument types: 'f(Int64, Float32)'
        signature: String,
    },
    /// Show the definition that ended compiled code of a function while the file ran, and the calls in between
    Why {
        /// The file that defines the function
        file: String,
        /// The function and its argument types: 'f(Int64, Float32)'
        signature: String,
    },
    /// Read and check everything
    Verify,
    /// Evict entries, oldest first
    Gc {
        /// The maximum number of bytes to keep: 500M
        #[arg(long, value_name = "SIZE")]
        max: Option<String>,
        /// Evict entries not used for this many days
        #[arg(long, value_name = "N")]
        days: Option<u64>,
    },
    /// Show the size by kind
    Du,
    /// Write every entry to a file, to be imported elsewhere
    Export {
        /// The file; an existing one is replaced
        file: PathBuf,
    },
    /// Add the entries of an exported file: it contains code to be run, so only take it from a trusted source
    Import {
        /// The file
        file: PathBuf,
    },
    /// Remove every entry
    Clear,
    /// Send every entry to the shared cache that KILN_CACHE_REMOTE names (docs/shared-caches.md)
    Push {
        /// The name by which other machines pull them together
        #[arg(long, value_name = "NAME", default_value = "all")]
        name: String,
    },
    /// Add the entries that were pushed by a name. They contain code to be run: KILN_CACHE_TRUST names the keys that must have
    /// signed them
    Pull {
        /// The name that they were pushed by
        #[arg(long, value_name = "NAME", default_value = "all")]
        name: String,
    },
    /// Make a pair of keys: FILE signs entries for shared caches (KILN_CACHE_SIGN), FILE.pub is to be trusted (KILN_CACHE_TRUST)
    Keygen {
        /// The file of the secret key
        file: PathBuf,
        /// A name in the public file
        #[arg(long, value_name = "NAME", default_value = "")]
        name: String,
    },
    /// Speak to a shared cache for a compiler: `kiln` runs this for itself
    #[command(hide = true)]
    Relay,
}

/// Arguments of `kiln image`.
#[derive(Debug, Args)]
pub(crate) struct ImageArgs {
    /// Write one line of JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: ImageCommand,
}

/// The operations of `kiln image`.
#[derive(Debug, Subcommand)]
pub(crate) enum ImageCommand {
    /// Run a file, compile and link every kernel it launches and everything it precompiles, and launch nothing
    Build {
        /// The image file; the default is the file's name with the extension .kimg
        #[arg(short = 'o', long, value_name = "IMAGE")]
        out: Option<PathBuf>,
        /// Processors to compile for: native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4
        #[arg(long, value_name = "LEVELS", value_delimiter = ',', default_value = "native")]
        cpu: Vec<String>,
        /// Devices to compile kernels for as well; they need not be present: sm_90, gfx1100, spirv64; `kiln targets`
        /// lists them
        #[arg(short = 't', long, value_name = "TARGETS", value_delimiter = ',')]
        target: Vec<String>,
        /// Add NVIDIA machine code, made by ptxas: a GPU that is exactly a target loads it, any other compiles PTX
        #[arg(long, requires = "target")]
        cubin: bool,
        /// Kernels for programs without a compiler, with the argument types of the kernel: 'f!(Float32)'
        #[arg(long, value_name = "SIGNATURE")]
        export: Vec<String>,
        /// The file
        file: String,
        /// The program's ARGS
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Check all of an image, show its contents, and whether this machine can use it; fails if it is damaged
    Show {
        /// The image
        image: PathBuf,
    },
}

/// Arguments of `kiln codegen`.
#[derive(Debug, Args)]
pub(crate) struct CodegenArgs {
    #[command(subcommand)]
    pub(crate) command: CodegenCommand,
}

/// The operations of `kiln codegen`.
#[derive(Debug, Subcommand)]
pub(crate) enum CodegenCommand {
    /// Answer requests on standard input, a socket: `kiln` runs this for itself
    Serve {
        /// The code generator to open
        library: PathBuf,
    },
    /// Repeat a failed request to the code generator, in this process
    Replay {
        /// The request: the file of that name in the folder named by the message
        request: PathBuf,
    },
}

/// Arguments of `kiln report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The folder with the repositories' checkouts
    #[arg(long, value_name = "DIR")]
    pub(crate) corpus: PathBuf,
    /// The kernels and their argument types
    #[arg(long, value_name = "FILE")]
    pub(crate) rows: PathBuf,
    /// Write one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// The time limit of a row, in seconds
    #[arg(long, value_name = "N", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// Further targets for rows that compile for this machine's processor
    #[arg(long, value_name = "TARGETS", value_delimiter = ',')]
    pub(crate) target: Vec<String>,
    /// Only this row, in this process: its number from 1
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) row: Option<usize>,
}

impl Command {
    /// The program's ARGS.
    pub(crate) fn args(&self) -> &[String] {
        if let Command::Run(args) = self {
            &args.args
        } else if let Command::Reflect { args, .. } | Command::Test(TestArgs { args, .. }) = self {
            args
        } else {
            &[]
        }
    }

    /// Whether failures are for programs.
    pub(crate) fn json(&self) -> bool {
        match self {
            Command::Run(args) => args.json,
            Command::Reflect { json, .. } => *json,
            Command::Test(args) => args.json,
            Command::Report(args) => args.json,
            Command::Compile(args) => args.json,
            Command::Build(args) => args.json,
            Command::Pkg(args) => args.is_json(),
            Command::Targets(args) => args.json,
            Command::Cache(args) => args.json,
            Command::Image(args) => args.json,
            Command::Metallib(args) => args.json,
            Command::Eval { .. } | Command::Codegen(_) => false,
        }
    }

    /// Returns the format of timings, if they are requested.
    pub(crate) fn timings(&self) -> Option<TimingsFormat> {
        match self {
            Command::Run(args) => args.timings.clone(),
            Command::Reflect { timings, .. } => timings.clone(),
            Command::Test(args) => args.timings.clone(),
            Command::Eval { .. }
            | Command::Report(_)
            | Command::Compile(_)
            | Command::Build(_)
            | Command::Pkg(_)
            | Command::Targets(_)
            | Command::Cache(_)
            | Command::Codegen(_)
            | Command::Metallib(_)
            | Command::Image(_) => None,
        }
    }

    /// Returns the file, if one is named.
    pub(crate) fn file(&self) -> Option<&str> {
        match self {
            Command::Run(args) => Some(&args.file),
            Command::Reflect { file, .. } => Some(file),
            Command::Eval { .. }
            | Command::Test(_)
            | Command::Report(_)
            | Command::Compile(_)
            | Command::Build(_)
            | Command::Pkg(_)
            | Command::Targets(_)
            | Command::Cache(_)
            | Command::Codegen(_)
            | Command::Metallib(_)
            | Command::Image(_) => None,
        }
    }
}

/// A stage of compilation.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Stage {
    /// Lowered code
    Lowered,
    /// Typed and optimized code
    Typed,
    /// Typed code after a list of values without a concrete type
    Warntype,
    /// LLVM IR before optimization
    Emitted,
    /// LLVM IR after optimization
    Llvm,
    /// LLVM bitcode after optimization
    Bitcode,
    /// Machine code
    #[value(alias = "asm")]
    Native,
    /// Form of a kernel of the processor: regions or fibers, vectors or items, and why
    Regions,
    /// The divergence of a kernel of the processor: uniform, consecutive and varying values, code that only some items run,
    /// and how memory is accessed, beside the source; with --json as one line of JSON
    Divergence,
    /// Machine code for an NVIDIA GPU
    Ptx,
    /// Machine code for an AMD GPU
    Gcn,
    /// The module for OpenCL drivers
    Spirv,
    /// The module for Apple GPUs
    Air,
    /// Machine code for the virtual machine of the Linux kernel
    Bpf,
}
