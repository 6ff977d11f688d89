//! The command line as data.

use clap::{Args, Parser, Subcommand, ValueEnum};
use kiln::{CheckBounds, DeviceChoice, Isolation};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  kiln run saxpy.jl                      run a file; every kernel it launches is compiled
  kiln run --timings=json saxpy.jl a b   say on standard error where the time went; a and b are ARGS
  kiln run --timings=trace=t.json saxpy.jl   write a trace, to be opened at ui.perfetto.dev or chrome://tracing
  kiln run --device opencl saxpy.jl      run its kernels on an OpenCL device
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
(what kernels run on: see `kiln run --help`), KILN_DEVICE_LIBRARY (as --device-library), KILN_CORPUS (package checkouts),
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

/// A text of examples with the words of the dialects in the places that name them in braces.
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
    /// Which bounds checks are made, on the host and in kernels: yes (all, despite `@inbounds`), no (none), auto
    #[arg(
        long,
        global = true,
        value_name = "yes|no|auto",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) check_bounds: CheckBounds,
    #[command(subcommand)]
    command: Option<Command>,
}

impl Cli {
    /// Returns the command to run, if any was given.
    pub(crate) fn plan(self) -> Option<Command> {
        self.eval.map(|code| Command::Eval { code }).or(self.command)
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a Julia file; kernels are compiled, host code is interpreted
    Run {
        /// Say where the time went, on standard error: text, json, trace, or trace=FILE, which writes it there
        #[arg(long, value_parser = TimingsFormat::parse, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
        timings: Option<TimingsFormat>,
        /// Take compiled code from this image, where it holds
        #[arg(long, value_name = "IMAGE")]
        image: Option<PathBuf>,
        /// The device for kernels: auto (an NVIDIA GPU if there is one, else the processor), cpu, cuda, opencl; a number
        /// picks one of several: cuda:1. `kiln targets` lists them
        #[arg(long, value_name = "DEVICE")]
        device: Option<DeviceChoice>,
        /// A library of functions for devices, bitcode (libdevice.10.bc, ocml.bc): what it defines can be called, and kernels'
        /// mathematical functions are its; `auto`: those that are found, which `kiln targets` lists
        #[arg(long, value_name = "PATH")]
        device_library: Vec<PathBuf>,
        /// Say on standard error what kernels run on
        #[arg(long)]
        verbose: bool,
        /// Write to this folder what each stage makes of every kernel that is launched, a file each
        #[arg(long, value_name = "DIR")]
        device_code: Option<PathBuf>,
        /// With --device-code: for these targets, instead of what the kernels run on
        #[arg(long, value_name = "TARGETS", value_delimiter = ',', requires = "device_code")]
        device_code_for: Vec<String>,
        /// The file
        file: String,
        /// The program's ARGS
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Run code given on the command line
    #[command(hide = true)]
    Eval {
        /// The code
        code: String,
    },
    /// Show what a stage made of a function; nothing is compiled for it that is in the cache
    Reflect {
        /// Say where the time went, on standard error: text, json, trace, or trace=FILE, which writes it there
        #[arg(long, value_parser = TimingsFormat::parse, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
        timings: Option<TimingsFormat>,
        /// For which target: sm_90, gfx1100, spirv64, ...; the default is what the kernel was launched for, and for a stage
        /// of one kind of target the first of that kind in KILN_TARGETS (else sm_80, gfx90a, spirv64 and bpf)
        #[arg(long, short = 't', value_name = "TARGET")]
        target: Option<String>,
        /// Which stage
        #[arg(value_enum)]
        stage: Stage,
        /// The file that defines it
        file: String,
        /// The function and its argument types: 'f(Int64, Float32)'
        signature: String,
    },
    /// Compile functions of a file for GPUs, or for processors, and write what their users load
    #[command(after_help = with_dialects(COMPILE_EXAMPLES))]
    Compile(CompileArgs),
    /// List the targets there are, and the tools that were found
    Targets(TargetsArgs),
    /// Look into the cache of compiled code, and after it
    Cache(CacheArgs),
    /// Build images: kernels compiled ahead of time, for programs that are to start at once
    Image(ImageArgs),
    /// The code generator by itself
    #[command(hide = true)]
    Codegen(CodegenArgs),
    /// Say how far kernels of other repositories get: parsed, loaded, inferred to static code, compiled
    #[command(hide = true)]
    Report(ReportArgs),
}

/// Arguments of `kiln compile`.
#[derive(Debug, Args)]
pub(crate) struct CompileArgs {
    /// Write one line of JSON that says what was made
    #[arg(long)]
    pub(crate) json: bool,
    /// Say where the time went, on standard error: text, json, trace, or trace=FILE, which writes it there
    #[arg(long, value_parser = TimingsFormat::parse, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) timings: Option<TimingsFormat>,
    /// Targets: sm_90, gfx1100, spirv64, bpf, x86-64-v3, znver4, native; `kiln targets` lists them
    #[arg(long, short = 't', value_name = "TARGETS", value_delimiter = ',', default_value = "native")]
    pub(crate) target: Vec<String>,
    /// Take compiled code from this image, where it holds
    #[arg(long, value_name = "IMAGE")]
    pub(crate) image: Option<PathBuf>,
    /// The output; the default is the form that the target's users load: PTX text, hsaco, SPIR-V, an object
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) emit: Option<EmitArg>,
    /// Where: a file, or a folder for several; `-` is standard output
    #[arg(short = 'o', long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Compile functions that return something, for other code to call; without it that is an error
    #[arg(long)]
    pub(crate) function: bool,
    /// Write here, as JSON, how each kernel is launched and what the numbers mean that failing items leave (docs/artifacts.md)
    #[arg(long, value_name = "FILE")]
    pub(crate) sites: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) kernel: KernelArgs,
    /// Kernels that LLVM compiles in a process of its own, where it may crash: never, risky (SPIR-V, and with device libraries; the
    /// default), devices
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "devices")]
    pub(crate) isolate: Option<Isolation>,
    /// Seconds that such a process may take over one request; 300 if it is not said
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: Option<u64>,
    /// The file that defines the functions; it is run
    pub(crate) file: String,
    /// Functions and their argument types, as the device has them: 'f(Ptr{Float32}, Int64)'
    #[arg(required = true)]
    pub(crate) signatures: Vec<String>,
}

/// How a kernel is compiled.
#[derive(Debug, Args)]
pub(crate) struct KernelArgs {
    /// The kernel's name on the device, instead of the mangled name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// For a kernel over a space of indices: how many dimensions its launch has
    #[arg(long, value_name = "N", conflicts_with = "groupsize", value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) dims: Option<u32>,
    /// For a kernel over a space of indices: the work-group size it is specialized for: 16,16
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) groupsize: Option<Vec<u32>>,
    /// Optimization: 0 to 3
    #[arg(short = 'O', long, value_name = "LEVEL", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) opt_level: u8,
    /// The report of failing kernels: 0 the place, 1 also the item and the exception, 2 everything
    #[arg(short = 'g', long, value_name = "LEVEL", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) debug_level: u8,
    /// No lines of the source in what is made: without it, PTX and hsaco have them from level 1 on
    #[arg(long)]
    pub(crate) strip: bool,
    /// Floats need not be computed as written
    #[arg(long)]
    pub(crate) fastmath: bool,
    /// Inline every call that can be
    #[arg(long)]
    pub(crate) always_inline: bool,
    /// The kernel is launched with exactly so many threads a block: 256, or 16,16
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) minthreads: Option<Vec<u32>>,
    /// The kernel is launched with at most so many threads a block
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) maxthreads: Option<Vec<u32>>,
    /// So many blocks are to fit a multiprocessor at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) blocks_per_sm: Option<u32>,
    /// Registers a thread may have
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) maxregs: Option<u32>,
    /// PTX version: 8.0
    #[arg(long, value_name = "VERSION", value_parser = version)]
    pub(crate) ptx: Option<u32>,
    /// Code object version for AMD's GPUs: 4, 5 or 6
    #[arg(long, value_name = "VERSION", value_parser = clap::value_parser!(u32).range(4..=6))]
    pub(crate) code_object: Option<u32>,
    /// SPIR-V extensions the driver has: +SPV_KHR_expect_assume
    #[arg(long, value_name = "LIST")]
    pub(crate) extensions: Option<String>,
    /// A library of functions for devices, bitcode (libdevice.10.bc, ocml.bc): what it defines can be called, and kernels'
    /// mathematical functions are its; `auto`: those that are found, which `kiln targets` lists
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
    /// The same as bitcode
    Bitcode,
    /// Text of the assembler
    Asm,
    /// PTX, an object, SPIR-V
    Obj,
    /// The output of the vendor's tool: a cubin, an hsaco
    Bin,
}

/// Arguments of `kiln targets`.
#[derive(Debug, Args)]
pub(crate) struct TargetsArgs {
    /// Write one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
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
    /// The contents of the cache and the time it has saved
    Stats,
    /// Every entry
    Ls,
    /// An entry and every part of its key
    Show {
        /// The first digits of the key
        key: String,
    },
    /// Which units of a kernel are in the cache, and what has changed of those that are not; for a device also what is made of
    /// them. Without --target, and without other options, as the file launches it
    Explain {
        /// As compiled for this target: sm_90, gfx1100, spirv64, ...; this machine's processor if other options are given
        #[arg(long, short = 't', value_name = "TARGET")]
        target: Option<String>,
        #[command(flatten)]
        kernel: Box<KernelArgs>,
        /// The file that defines it
        file: String,
        /// The function and its argument types: 'f(Int64, Float32)'
        signature: String,
    },
    /// Which definition ended what was compiled of a function while the file ran, and through which calls
    Why {
        /// The file that defines it
        file: String,
        /// The function and its argument types: 'f(Int64, Float32)'
        signature: String,
    },
    /// Read everything and check it
    Verify,
    /// Evict entries, oldest first
    Gc {
        /// Most bytes to keep: 500M
        #[arg(long, value_name = "SIZE")]
        max: Option<String>,
        /// Evict what was not used for this long
        #[arg(long, value_name = "N")]
        days: Option<u64>,
    },
    /// Bytes by kind
    Du,
    /// Write every entry to a file, to be imported elsewhere
    Export {
        /// The file; one that is there is replaced
        file: PathBuf,
    },
    /// Take over the entries of a file that was exported: it is code to be run, so trust where it is from
    Import {
        /// The file
        file: PathBuf,
    },
    /// Remove every entry
    Clear,
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
        /// Where the image goes; the file's name with the ending .kimg
        #[arg(short = 'o', long, value_name = "IMAGE")]
        out: Option<PathBuf>,
        /// Processors to compile for: native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4
        #[arg(long, value_name = "LEVELS", value_delimiter = ',', default_value = "native")]
        cpu: Vec<String>,
        /// Devices to compile kernels for as well; none need be here: sm_90, gfx1100, spirv64; `kiln targets` lists them
        #[arg(short = 't', long, value_name = "TARGETS", value_delimiter = ',')]
        target: Vec<String>,
        /// Also NVIDIA's machine code, made by ptxas: a GPU that is exactly a target loads it, any other has PTX compiled
        #[arg(long, requires = "target")]
        cubin: bool,
        /// Kernels that programs without a compiler can run, with the types that the kernel sees: 'f!(Float32)'
        #[arg(long, value_name = "SIGNATURE")]
        export: Vec<String>,
        /// The file
        file: String,
        /// The program's ARGS
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Say what an image holds, and whether it can be used here; all of it is checked, and if something is damaged this fails
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
    /// Answer the requests that come in on standard input, a socket: what `kiln` runs for itself
    Serve {
        /// The code generator to open
        library: PathBuf,
    },
    /// Ask again for what the code generator failed at, in this process
    Replay {
        /// The request: the file of that name in the folder that the message named
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
    /// Seconds after which a row has failed
    #[arg(long, value_name = "N", default_value_t = 120)]
    pub(crate) timeout: u64,
    /// Targets to compile for as well, what compiles for this machine's processor
    #[arg(long, value_name = "TARGETS", value_delimiter = ',')]
    pub(crate) target: Vec<String>,
    /// Only this row, in this process: its number from 1
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) row: Option<usize>,
}

impl Command {
    /// The program's ARGS.
    pub(crate) fn args(&self) -> &[String] {
        match self {
            Command::Run { args, .. } => args,
            Command::Eval { .. }
            | Command::Reflect { .. }
            | Command::Report(_)
            | Command::Compile(_)
            | Command::Targets(_)
            | Command::Cache(_)
            | Command::Codegen(_)
            | Command::Image(_) => &[],
        }
    }

    /// How timings are to be written, if they are.
    pub(crate) fn timings(&self) -> Option<TimingsFormat> {
        match self {
            Command::Run { timings, .. } | Command::Reflect { timings, .. } => timings.clone(),
            Command::Eval { .. }
            | Command::Report(_)
            | Command::Compile(_)
            | Command::Targets(_)
            | Command::Cache(_)
            | Command::Codegen(_)
            | Command::Image(_) => None,
        }
    }

    /// The file, if there is one.
    pub(crate) fn file(&self) -> Option<&str> {
        match self {
            Command::Run { file, .. } | Command::Reflect { file, .. } => Some(file),
            Command::Eval { .. }
            | Command::Report(_)
            | Command::Compile(_)
            | Command::Targets(_)
            | Command::Cache(_)
            | Command::Codegen(_)
            | Command::Image(_) => None,
        }
    }
}

/// How timings are written.
#[derive(Clone, Debug)]
pub(crate) enum TimingsFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
    /// A timeline of each thread, in the JSON of Chrome's traces: to this file, if there is one.
    Trace(Option<PathBuf>),
}

impl TimingsFormat {
    fn parse(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("trace=")) {
            ("text", _) => Ok(Self::Text),
            ("json", _) => Ok(Self::Json),
            ("trace", _) => Ok(Self::Trace(None)),
            (_, Some(file)) if !file.is_empty() => Ok(Self::Trace(Some(file.into()))),
            _ => Err("it can be text, json, trace or trace=FILE".into()),
        }
    }
}

/// A stage of compilation.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Stage {
    /// Lowered code
    Lowered,
    /// Typed and optimized
    Typed,
    /// The same after a list of what has no concrete type
    Warntype,
    /// LLVM IR before optimization
    Emitted,
    /// LLVM IR after optimization
    Llvm,
    /// The same as bitcode
    Bitcode,
    /// Machine code
    #[value(alias = "asm")]
    Native,
    /// Machine code for an NVIDIA GPU
    Ptx,
    /// Machine code for an AMD GPU
    Gcn,
    /// The module for OpenCL drivers
    Spirv,
    /// Machine code for the virtual machine of the Linux kernel
    Bpf,
}
