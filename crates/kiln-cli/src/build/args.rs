//! The command line of `kiln build`.

use crate::code_args::CodeArgs;
use crate::timings_format::TimingsFormat;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(crate) const NOTES: &str = "\
Examples:
  kiln build -o libsaxpy.so --header saxpy.h saxpy.jl \
    '{saxpy}'
                                         a shared library, and a header with typed functions
  kiln build --cpu x86-64-v3 -o libmath.a math.jl 'root(Float64, Int32)' 'root_f32=root(Float32, Int32)'
                                         an archive of two functions, one of which is given a name
  kiln build -t x86-64-v3,x86-64-v2,sm_90,spirv64 -o saxpy.kbundle saxpy.jl \
    '{saxpy}'
                                         one file for several processors and GPUs, which libkiln_rt opens
  cc main.c libsaxpy.so -lkiln_rt        how a program is linked: docs/ahead-of-time.md

Kernels return nothing and are launched; other functions are called. A name in C is that of the function, without `!`.
The linker of a shared library is the first of these there is: --linker, $CC, cc, gcc, clang, ld.lld, ld.lld-22, ld.

Exit status: 0 if everything was built and written, 1 if something does not compile (and then nothing is written), 2 if the command
line is wrong or a file cannot be written.";

/// Arguments of `kiln build`.
#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// Write one line of JSON: files, inputs, symbols
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the time of each stage to standard error: text, json, trace, or trace=FILE, which writes a trace to the
    /// file
    #[arg(long, value_parser = TimingsFormat::parse, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub(crate) timings: Option<TimingsFormat>,
    /// The output; the default follows from the ending of OUT: .so, .a, .o, .h, .kbundle
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) emit: Option<OutputKind>,
    /// The output file; for the objects of several functions, a folder
    #[arg(short = 'o', long, value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// Write the header of the library to this file as well
    #[arg(long, value_name = "FILE")]
    pub(crate) header: Option<PathBuf>,
    /// Write the inputs of the output to this file, as a rule of a Makefile
    #[arg(long, value_name = "FILE")]
    pub(crate) depfile: Option<PathBuf>,
    /// The processor: native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, znver4, ...
    #[arg(long, value_name = "CPU", default_value = "native")]
    pub(crate) cpu: String,
    /// For a bundle: its targets, processors by level and devices: x86-64-v3, sm_90, spirv64, metal; the default is the
    /// processor
    #[arg(long, short = 't', value_name = "TARGETS", value_delimiter = ',', conflicts_with = "cpu")]
    pub(crate) target: Vec<String>,
    /// The program that links shared libraries
    #[arg(long, value_name = "PATH")]
    pub(crate) linker: Option<PathBuf>,
    /// For a kernel over a space of indices: the number of dimensions of its launch
    #[arg(long, value_name = "N", conflicts_with = "groupsize", value_parser = clap::value_parser!(u32).range(1..=3))]
    pub(crate) dims: Option<u32>,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
    /// The file that defines the functions; it is run
    pub(crate) file: String,
    /// Functions and their argument types, in the device's form: 'f(Ptr{Float32}, Int64)', 'NAME=f(Float32)'
    #[arg(required = true)]
    pub(crate) signatures: Vec<String>,
}

/// The outputs of `kiln build`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputKind {
    /// A relocatable object for each function
    Object,
    /// An archive of these objects
    Static,
    /// A shared library
    Shared,
    /// A header for C and C++
    Header,
    /// One file with kernels for several targets, which libkiln_rt opens
    Bundle,
}

impl OutputKind {
    /// All of them, with their endings.
    const ALL: [(Self, &'static str); 5] = [
        (Self::Object, "o"),
        (Self::Static, "a"),
        (Self::Shared, "so"),
        (Self::Header, "h"),
        (Self::Bundle, "kbundle"),
    ];

    /// The output with this ending.
    pub(super) fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.1 == ending).map(|it| it.0)
    }

    /// The words of messages.
    pub(super) fn phrase(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Static => "an archive",
            Self::Shared => "a shared library",
            Self::Header => "a header",
            Self::Bundle => "a bundle",
        }
    }

    /// The name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Static => "static",
            Self::Shared => "shared",
            Self::Header => "header",
            Self::Bundle => "bundle",
        }
    }
}
