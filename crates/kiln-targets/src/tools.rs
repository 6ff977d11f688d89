//! Programs and libraries of vendors, as data: tools that finish, check or show code for a target, and libraries to
//! link.
//!
//! Nothing here runs anything.

use std::borrow::Cow;

/// A program of a vendor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tool {
    /// The name for users.
    pub name: Cow<'static, str>,
    /// The purpose.
    pub about: Cow<'static, str>,
    /// The environment variable with its path.
    pub variable: Cow<'static, str>,
    /// Its file names, the best first.
    pub files: Vec<Cow<'static, str>>,
    /// The packages that have it.
    pub from: Cow<'static, str>,
}

/// A tool and the options that it is given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ToolUse {
    /// The tool.
    pub tool: Tool,
    /// Its options, before the file.
    pub options: Vec<Cow<'static, str>>,
    /// It writes a file, named by `-o`.
    pub makes_file: bool,
}

/// The way from an object to the finished form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Finish {
    /// The object is the finished form.
    #[default]
    None,
    /// An assembler makes code of it for one processor.
    Assemble {
        /// The assembler.
        assembler: ToolUse,
        /// The options by which it makes an object to be linked, for kernels that launch kernels.
        relocatable: Vec<Cow<'static, str>>,
    },
    /// kiln's linker makes a code object of it; the tool is the fallback for objects that kiln's linker refuses.
    CodeObject(ToolUse),
    /// kiln puts the module into a Metal library.
    MetalLibrary,
}

/// The form of code that a tool is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shown {
    /// The object.
    Object,
    /// The finished form.
    Binary,
}

/// The tools of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tools {
    /// The tool that finishes objects.
    pub finish: Finish,
    /// The tools that check code.
    pub check: Vec<(Shown, ToolUse)>,
    /// The tool that shows an object as text; `None` where there is none. Textual objects are shown directly.
    pub disassemble: Option<ToolUse>,
}

impl Tools {
    /// Every tool among them.
    pub fn all(&self) -> Vec<&Tool> {
        let finish = match &self.finish {
            Finish::None | Finish::MetalLibrary => None,
            Finish::Assemble { assembler, .. } => Some(&assembler.tool),
            Finish::CodeObject(linker) => Some(&linker.tool),
        };
        let shown = self.check.iter().map(|it| &it.1).chain(&self.disassemble);
        finish.into_iter().chain(shown.map(|it| &it.tool)).collect()
    }
}

/// A library of functions for devices, in bitcode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Library {
    /// Its name, with which the names of its files begin; the overlay table of functions that it has is called so too.
    pub name: Cow<'static, str>,
    /// The usual file.
    pub file: Cow<'static, str>,
    /// The folders that vendors install it in, the best first.
    pub folders: Vec<Cow<'static, str>>,
}

/// Texts that are known when kiln is built.
pub(crate) fn texts<const N: usize>(all: [&'static str; N]) -> Vec<Cow<'static, str>> {
    all.map(Cow::Borrowed).to_vec()
}

fn tool<const N: usize>([name, about, variable, from]: [&'static str; 4], files: [&'static str; N]) -> Tool {
    Tool {
        name: name.into(),
        about: about.into(),
        variable: variable.into(),
        files: texts(files),
        from: from.into(),
    }
}

/// NVIDIA's assembler.
pub(crate) fn ptxas() -> Tool {
    let from = "the CUDA toolkit, or the wheel nvidia-cuda-nvcc-cu12";
    tool(["ptxas", "PTX to machine code (--emit bin)", "KILN_PTXAS", from], ["ptxas"])
}

/// LLVM's linker.
pub(crate) fn lld() -> Tool {
    let about = "checks objects for AMD GPUs, and links what kiln does not";
    tool(["ld.lld", about, "KILN_LLD", "the Debian package lld-22"], ["ld.lld-22", "ld.lld"])
}

/// Khronos' validator.
pub(crate) fn spirv_val() -> Tool {
    let from = "the Debian package spirv-tools";
    tool(["spirv-val", "checks SPIR-V", "KILN_SPIRV_VAL", from], ["spirv-val"])
}

/// Khronos' disassembler.
fn spirv_dis() -> Tool {
    let from = "the Debian package spirv-tools";
    tool(["spirv-dis", "shows SPIR-V", "KILN_SPIRV_DIS", from], ["spirv-dis"])
}

/// LLVM's disassembler.
pub(crate) fn objdump() -> Tool {
    let from = "the Debian package llvm-22";
    tool(["llvm-objdump", "shows machine code", "KILN_OBJDUMP", from], ["llvm-objdump-22", "llvm-objdump"])
}

/// LLVM's disassembler, shown an object to be checked.
pub(crate) fn objdump_check() -> ToolUse {
    ToolUse { tool: objdump(), options: texts(["-d"]), makes_file: false }
}

/// Returns LLVM's disassembler, or the system's; with lines of the source if `lines`.
pub(crate) fn disassembler(lines: bool) -> ToolUse {
    let mut options = texts(["-d", "--no-show-raw-insn"]);
    options.extend(lines.then_some(Cow::Borrowed("--line-numbers")));
    let tool = Tool { files: texts(["llvm-objdump-22", "llvm-objdump", "objdump"]), ..objdump() };
    ToolUse { tool, options, makes_file: false }
}

/// Khronos' disassembler of SPIR-V.
pub(crate) fn spirv_disassembler() -> ToolUse {
    let options = texts(["--no-color", "--no-header"]);
    ToolUse { tool: spirv_dis(), options, makes_file: false }
}

/// The tools of kiln's own targets, to be listed.
pub fn tools() -> Vec<Tool> {
    vec![ptxas(), lld(), spirv_val(), objdump()]
}
