//! The services of the crates above the runtime: parsing and lowering, input and output, kernels, compiled host
//! code.

use crate::heap::Value;
use crate::runtime::Runtime;
use crate::tables::{CacheOwner, CodeInstance, MethodMatch, MethodTableView, World, WorldRange};
use crate::thrown::{Run, Thrown};
use kiln_ir::{Ast, CodeInfo, Expansion, ExprId, Instance, SourceLoc};
use kiln_packages::Surroundings;
use kiln_types::{Module, Symbol, Type};
use std::any::Any;
use std::io;
use std::sync::Arc;

/// The part of the front end that found a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontStage {
    /// The text does not parse: a `Meta.ParseError`.
    Parse,
    /// The expression does not lower: an `ErrorException` whose message starts with `syntax: `.
    Lower,
}

/// A problem the front end found: text that does not parse, code that does not lower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontError {
    /// The exception's message.
    pub message: String,
    /// The location of the error.
    pub loc: SourceLoc,
    /// The pass that found it.
    pub stage: FrontStage,
}

/// Why macros could not be expanded.
#[derive(Debug)]
pub enum ExpandError {
    /// A macro threw; the line node of its call.
    Thrown(Box<Thrown>, Value),
    /// The expression is wrong.
    Front(FrontError),
}

/// How far a front end has come with a top-level expression.
#[derive(Debug)]
pub enum FrontResult {
    /// It is lowered.
    Code(Box<CodeInfo>),
    /// Its macros are expanded, and the result is one that is carried out without lowering.
    Expanded(ExprId),
}

/// The part of a text to parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseRule {
    /// One statement.
    Statement,
    /// The smallest expression.
    Atom,
    /// Every statement, in an `Expr(:toplevel, ...)`.
    All,
}

/// A text, and the part to parse.
#[derive(Clone, Copy, Debug)]
pub struct ParseRequest<'a> {
    /// The text.
    pub text: &'a str,
    /// The first byte that is no UTF-8; the text has replacements for such bytes.
    pub invalid: Option<usize>,
    /// The byte to start at, from 0.
    pub start: usize,
    /// The part to parse.
    pub rule: ParseRule,
    /// The file that line nodes name.
    pub file: &'a str,
    /// The number of the first line.
    pub line: u32,
}

/// The result of parsing a part of a text.
#[derive(Clone, Debug, Default)]
pub struct ParsedText {
    /// The expression; `None` at the end of the text, and where the text is wrong unless the rule is `All`.
    pub expr: Option<ExprId>,
    /// The byte where the next expression begins, from 0.
    pub next: usize,
    /// The mistake in the text, in several lines.
    pub error: Option<String>,
    /// The missing part, as `Base.incomplete_tag` names it, if more text could mend it.
    pub incomplete: Option<&'static str>,
}

/// The expressions of a file.
#[derive(Clone, Debug, Default)]
pub struct ParsedFile {
    /// Where the expressions live.
    pub ast: Ast,
    /// One a top-level expression, line nodes included.
    pub exprs: Vec<ExprId>,
    /// The first syntax error: the expressions before it run, then it is thrown.
    pub error: Option<FrontError>,
}

/// The body that a `@generated` function returned, and its method.
#[derive(Clone, Copy, Debug)]
pub struct GeneratedBody<'a> {
    /// The module the method is defined in.
    pub module: Module,
    /// The name of the method.
    pub name: Symbol,
    /// Names of the function and its arguments.
    pub args: &'a [Symbol],
    /// The last argument takes the rest.
    pub is_va: bool,
    /// Names of the static parameters.
    pub static_params: &'a [Symbol],
    /// The body.
    pub body: ExprId,
    /// The method.
    pub loc: SourceLoc,
}

/// From text to lowered code. Supplied by the crate `kiln`.
///
/// By default it serves a session that reads no text: nothing parses, nothing lowers.
pub trait Frontend: Send + Sync {
    /// Parses a whole file, or a string in place of one.
    fn parse_file(&self, _rt: &Runtime, _name: &str, _text: &str) -> ParsedFile {
        ParsedFile::default()
    }
    /// `Meta.parse` and its relatives.
    fn parse_text(&self, _rt: &Runtime, request: ParseRequest<'_>, _ast: &mut Ast) -> ParsedText {
        ParsedText { next: request.start, ..ParsedText::default() }
    }
    /// Expands macros, through [`macros::call`](crate::eval::macros::call).
    fn expand(
        &self,
        _rt: &Runtime,
        _module: Module,
        _ast: &mut Ast,
        expr: ExprId,
        _expansion: Expansion,
    ) -> Result<ExprId, ExpandError> {
        Ok(expr)
    }
    /// Prepares an expression that a parser made of a file, if it is one whose code may be kept from one session to the next;
    /// `None` says that it has to be expanded and lowered.
    fn lower_kept(
        &self,
        _rt: &Runtime,
        _module: Module,
        _ast: &mut Ast,
        _expr: ExprId,
    ) -> Option<Result<FrontResult, ExpandError>> {
        None
    }
    /// Lowers an expanded expression to a thunk.
    fn lower_toplevel(
        &self,
        _rt: &Runtime,
        _module: Module,
        _ast: &mut Ast,
        _expr: ExprId,
    ) -> Result<CodeInfo, FrontError> {
        Err(FrontError { message: NO_FRONTEND.into(), loc: SourceLoc::NONE, stage: FrontStage::Lower })
    }
    /// Lowers the result of a generator, after macro expansion.
    fn lower_generated(&self, rt: &Runtime, _ast: &mut Ast, _body: GeneratedBody<'_>) -> Run<CodeInfo> {
        Err(rt.error(NO_FRONTEND))
    }
    /// Returns the location of a whole line (from 1) of a file, which need not have been loaded; none if it is
    /// unknown.
    fn line_loc(&self, _file: &str, _line: u32) -> SourceLoc {
        SourceLoc::NONE
    }
    /// File name and line (from 1) of a place.
    fn place(&self, _loc: SourceLoc) -> Option<(String, u32)> {
        None
    }
}

/// The message for operations that need a front end.
const NO_FRONTEND: &str = "this session has no front end";

/// The source of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageSource {
    /// The path of its main file, for `include` and messages.
    pub path: String,
    /// The text of that file.
    pub text: String,
}

/// A change to the file system, or to the place relative paths start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange<'a> {
    /// Makes a directory with these permission bits in one that exists.
    MakeDirectory(&'a str, u32),
    /// Makes an empty file that only its owner can read and write; fails where the name is taken.
    MakeFile(&'a str),
    /// Removes a file or a link.
    Unlink(&'a str),
    /// Removes an empty directory.
    RemoveDirectory(&'a str),
    /// Gives a file another name.
    Rename(&'a str, &'a str),
    /// Copies the bytes of a file; a new file gets its permission bits, less those of the mask.
    Copy(&'a str, &'a str),
    /// Makes the second path a link to the first.
    Symlink(&'a str, &'a str),
    /// Makes the second path another name of the first file.
    Hardlink(&'a str, &'a str),
    /// Sets permission bits.
    SetMode(&'a str, u32),
    /// Sets the owner and the group; -1 leaves one as it is.
    SetOwner(&'a str, i64, i64),
    /// Sets the time of the last change to now; creates the file if needed.
    Touch(&'a str),
    /// Changes the working directory.
    ChangeDirectory(&'a str),
}

/// The facts that the system keeps of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStatus {
    /// The device that holds it.
    pub device: u64,
    /// Its number on that device.
    pub inode: u64,
    /// Type and permission bits.
    pub mode: u32,
    /// The number of its names.
    pub links: u64,
    /// The owner.
    pub user: u32,
    /// The group.
    pub group: u32,
    /// The device that the file represents.
    pub represents: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes of a block.
    pub block_size: u64,
    /// Blocks of 512 bytes in use.
    pub blocks: u64,
    /// The last change of its content, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The last change of its content or status, in nanoseconds since 1970.
    pub changed_ns: i64,
}

/// A number that the system has for the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessFact {
    /// The process number.
    Id,
    /// The user that started it.
    User,
    /// The user whose permissions it has.
    EffectiveUser,
    /// The permission bits that new files lack.
    Mask,
}

/// How a file is opened as a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenMode {
    /// It can be read.
    pub read: bool,
    /// It can be written.
    pub write: bool,
    /// It is made if it does not exist.
    pub create: bool,
    /// Its content goes.
    pub truncate: bool,
    /// Every write goes to its end.
    pub append: bool,
}

/// A standard stream of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessStream {
    /// It has nothing and takes everything.
    Null,
    /// The standard input of this process.
    Input,
    /// The standard output of this process.
    Output,
    /// The standard error of this process.
    Errors,
    /// An open stream.
    Stream(i64),
}

/// A process to start.
#[derive(Clone, Copy, Debug)]
pub struct ProcessRequest<'a> {
    /// The program and its arguments.
    pub words: &'a [Vec<u8>],
    /// Its environment, `NAME=value` each.
    pub environment: &'a [Vec<u8>],
    /// Its working directory; empty: that of this process.
    pub directory: &'a str,
    /// Standard input, output and error.
    pub streams: [ProcessStream; 3],
    /// It leads a process group of its own.
    pub detached: bool,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessEnd {
    /// The exit code.
    pub code: i64,
    /// The signal that ended it; 0 if none did.
    pub signal: i64,
}

/// Files and streams, processes, clocks, the environment. Supplied by the crate `kiln`.
///
/// By default it is a machine without any: no files, no processes, no input, output that is dropped, clocks that stand.
pub trait HostIo: Send + Sync {
    /// Writes to a file descriptor; the number of bytes written.
    fn write(&self, _fd: i64, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }
    /// Writes buffered output.
    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
    /// Whether a write has found that the reader of standard output is gone.
    fn is_output_closed(&self) -> bool {
        false
    }
    /// One line with its end; `None` at the end of input.
    fn read_line(&self, _fd: i64) -> Option<Vec<u8>> {
        None
    }
    /// A file's content.
    fn read_file(&self, path: &str) -> io::Result<Vec<u8>> {
        Err(io::Error::other(format!("could not open file {path}")))
    }
    /// Writes a file.
    fn write_file(&self, path: &str, _bytes: &[u8]) -> io::Result<()> {
        Err(io::Error::other(format!("could not open file {path}")))
    }
    /// Opens a file as a stream; the number of the stream.
    fn open_stream(&self, _path: &str, _mode: OpenMode) -> io::Result<i64> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// Reads from a stream, at most as many bytes as there is room for; the number of bytes, 0 at the end.
    fn read_stream(&self, _stream: i64, _to: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// Writes bytes to a stream; how many it took: all, unless it does not wait.
    fn write_stream(&self, _stream: i64, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// Moves the place where a stream goes on; the new place.
    fn seek_stream(&self, _stream: i64, _place: io::SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// Makes the file of a stream shorter, or longer by zeros.
    fn resize_stream(&self, _stream: i64, _bytes: u64) -> io::Result<()> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// Closes a stream.
    fn close_stream(&self, _stream: i64) -> io::Result<()> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// Reading from the stream and writing to it fail from now on where they would have to wait.
    fn never_wait(&self, _stream: i64) -> io::Result<()> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// Makes a pipe: the streams to read it and to write it.
    fn make_pipe(&self) -> io::Result<(i64, i64)> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// Starts a process; its number.
    fn spawn_process(&self, _request: &ProcessRequest<'_>) -> io::Result<i64> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// How a process ended, after which its number is free; `None` if it runs.
    fn process_end(&self, _process: i64) -> io::Result<Option<ProcessEnd>> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// Sends a signal to a process; 0 only asks whether it runs.
    fn signal_process(&self, _process: i64, _signal: i64) -> io::Result<()> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// The facts of a file; of a link itself unless it is to be followed.
    fn file_status(&self, _path: &str, _follow: bool) -> io::Result<FileStatus> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// Whether the process has all permissions of `bits` on a file: 4 read, 2 write, 1 execute.
    fn may_access(&self, _path: &str, _bits: u32) -> bool {
        false
    }
    /// The names in a directory, sorted.
    fn list_directory(&self, _path: &str) -> io::Result<Vec<String>> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// The path that a link holds.
    fn link_target(&self, _path: &str) -> io::Result<String> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// The absolute path without links.
    fn real_path(&self, _path: &str) -> io::Result<String> {
        Err(io::ErrorKind::NotFound.into())
    }
    /// Changes files.
    fn change_files(&self, _change: &FileChange<'_>) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    /// A number of the process.
    fn process_fact(&self, _fact: ProcessFact) -> i64 {
        0
    }
    /// The environment: names and values, sorted.
    fn environment(&self) -> Vec<(String, String)> {
        Vec::new()
    }
    /// A monotonic clock.
    fn now_ns(&self) -> u64 {
        0
    }
    /// The monotonic clock, for the program.
    fn time_ns(&self) -> u64 {
        self.now_ns()
    }
    /// Waits.
    fn sleep_ns(&self, _time: u64) {}
    /// Seconds since 1970.
    fn wall_time(&self) -> f64 {
        0.0
    }
    /// Fresh random bits.
    fn random_seed(&self) -> u64 {
        0
    }
    /// The program's arguments.
    fn args(&self) -> Vec<String> {
        Vec::new()
    }
    /// An environment variable.
    fn env(&self, _name: &str) -> Option<String> {
        None
    }
    /// The working directory.
    fn cwd(&self) -> String {
        "/".into()
    }
    /// Whether a file descriptor is a terminal.
    fn is_tty(&self, _fd: i64) -> bool {
        false
    }
    /// The library's package of this name.
    fn find_package(&self, _name: &str) -> Option<PackageSource> {
        None
    }
    /// Returns the main file of the package's own repository, if it exists here and differs from the result of
    /// `find_package`.
    fn checkout(&self, _name: &str) -> Option<String> {
        None
    }
    /// The facts that environments depend on.
    fn surroundings(&self) -> Surroundings {
        Surroundings::default()
    }
    /// Asks that the process end with this code once the current code has unwound.
    fn exit(&self, _code: i64) {}
    /// The code that the process was asked to end with.
    fn exit_code(&self) -> Option<i64> {
        None
    }
}

/// The size of a launch, as a program gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Groups in each dimension.
    pub groups: [i64; 3],
    /// Items of a group in each dimension.
    pub items: [i64; 3],
    /// Dynamic shared memory of a group.
    pub shared_bytes: i64,
    /// Whether all groups may wait for each other.
    pub is_cooperative: bool,
    /// Groups of a cluster in each dimension.
    pub cluster: [i64; 3],
}

/// Compiles and runs kernels. Supplied by the driver.
pub trait KernelHost: Send + Sync {
    /// A handle of `f` compiled for the argument types `tt`.
    fn compile(&self, rt: &Runtime, f: Value, tt: Type, options: Value) -> Run<u64>;
    /// Starts a compiled kernel.
    fn launch(&self, rt: &Runtime, handle: u64, size: LaunchShape, args: &[Value]) -> Run<()>;
    /// Waits for everything that was launched.
    ///
    /// # Errors
    /// Fails with the exception of the first item that failed in the first launch that did, since the last call.
    fn synchronize(&self, rt: &Runtime) -> Run<()>;
    /// Reports the results of launches that the program had to wait for when it accessed their memory.
    ///
    /// # Errors
    /// As for [`KernelHost::synchronize`].
    fn surface_async_errors(&self, rt: &Runtime) -> Run<()> {
        self.synchronize(rt)
    }
    /// Notes a `Memory` that kernels are not to access any more; whether it is checked that they do not. Then the caller keeps
    /// it alive.
    fn free(&self, _memory: Value) -> bool {
        false
    }
    /// Makes room on the device for a `Memory` without contents, which kernels will use: nothing of it is copied there.
    fn reserve(&self, _rt: &Runtime, _memory: Value) {}
    /// Something of streams and events, by its name, for two numbers.
    fn stream(&self, rt: &Runtime, what: Symbol, first: i64, second: i64) -> Run {
        let _ = (first, second);
        Err(rt.error(&format!("there is no `{}` of streams here", rt.types.name(what))))
    }
    /// The addresses of objects that launches in flight use: a collection keeps them.
    fn in_use(&self) -> Vec<u64> {
        Vec::new()
    }
    /// Objects have been freed, and none was made since.
    fn after_collection(&self, rt: &Runtime) {
        let _ = rt;
    }
    /// Whether the default device, or those that an image is built for, have memory of their own.
    fn has_own_memory(&self) -> bool {
        false
    }
    /// Returns the default device.
    fn device(&self, rt: &Runtime) -> Run<KernelDevice>;
    /// Starts recording the requested kernels, or stops: returns a tuple of the recorded jobs.
    fn watch(&self, rt: &Runtime, begin: bool) -> Run;
    /// Returns a stage of a function for these types: a string.
    fn reflect(&self, rt: &Runtime, stage: Symbol, job: (Type, Type), options: Value) -> Run;
}

/// The device's properties for programs. The default is that of a session that runs no kernels, as the one that a build freezes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelDevice {
    /// The vendor's name; `CPU` for this machine's processor.
    pub name: String,
    /// The target of its code.
    pub target: String,
    /// Items of a group at most.
    pub items_max: u64,
    /// Cores, compute units, multiprocessors.
    pub compute_units: u64,
    /// Shared memory of a group, in bytes, unless a launch asks for more.
    pub shared_bytes: u64,
    /// Shared memory of a group that a launch may ask for, in bytes.
    pub shared_bytes_max: u64,
    /// Memory, in bytes; 0 if unknown.
    pub memory_bytes: u64,
    /// Items that run in step; 0: it depends on the kernel.
    pub subgroup_items: u64,
}

/// The purpose of a look-up of typed code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedQuery {
    /// Something asks for the instance.
    Requested,
    /// What is being inferred calls it: most look-ups miss where the caller's did.
    Callee,
}

/// Typed code that other sessions kept. Optional.
pub trait StoredCode: Send + Sync {
    /// Returns the stored result for `instance` and `owner`, whose method tables are those of `view`, if it is valid
    /// in the newest world; it is then in the code tables.
    fn find(
        &self,
        rt: &Runtime,
        view: &MethodTableView,
        owner: CacheOwner,
        instance: Instance,
        query: TypedQuery,
    ) -> Option<Arc<CodeInstance>>;
}

/// Host code that may run often: a body with the types it runs with. The description is the same in every process of
/// the same program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotSpot {
    /// The name of the body.
    pub name: Symbol,
    /// Where it is written.
    pub loc: SourceLoc,
    /// The types of the callee and the arguments.
    pub types: Vec<Type>,
    /// The part of it that ran often.
    pub part: HotPart,
}

/// The part of a body that ran often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HotPart {
    /// The body itself.
    Body,
    /// Any of its loops.
    Loops,
    /// One loop.
    Loop {
        /// The statement that it is entered at.
        header: u32,
        /// The variables that have values then, by number, and the types of these.
        inputs: Vec<(u32, Type)>,
    },
}

/// How far the compilation of host code is.
#[derive(Debug)]
pub enum HostCode {
    /// It is done.
    Compiled(Box<dyn CompiledBody>),
    /// The code goes on being interpreted; do not ask again.
    Refused,
    /// Ask again when [`HostCompiler::progress`] has changed; the code is interpreted meanwhile.
    Pending,
}

/// Compiled bodies for host code that runs often. Optional.
pub trait HostCompiler: Send + Sync {
    /// Whether an earlier process ran this so often that it was compiled: then it is compiled at once.
    fn was_hot(&self, rt: &Runtime, spot: &HotSpot) -> bool {
        let _ = (rt, spot);
        false
    }
    /// Takes a note for later processes: this was compiled, or is being compiled.
    fn is_hot(&self, rt: &Runtime, spot: &HotSpot) {
        let _ = (rt, spot);
    }
    /// Called when `instance` has been interpreted often in `world`. `None`: go on interpreting, and do not ask
    /// again.
    fn compile(&self, rt: &Runtime, instance: Instance, world: World) -> Option<Box<dyn CompiledBody>>;
    /// As [`Self::compile`], but what takes long may be done while the program goes on.
    fn compile_beside(&self, rt: &Runtime, instance: Instance, world: World) -> HostCode {
        self.compile(rt, instance, world).map_or(HostCode::Refused, HostCode::Compiled)
    }
    /// A number that changes when code that is pending may be ready.
    fn progress(&self) -> u64 {
        0
    }
    /// Compiles `instance` before it is called, if it can be: it is found as soon as it has been called often. Whether it was.
    fn precompile(&self, rt: &Runtime, instance: Instance) -> bool {
        let _ = (rt, instance);
        false
    }
    /// Whether compiled callers of `instance` have its body in their own.
    fn inlines(&self, rt: &Runtime, instance: Instance) -> bool {
        let _ = (rt, instance);
        false
    }
    /// The code instance of a method for exactly the types of this match; `None` where its body does not compile.
    fn inferred(&self, rt: &Runtime, found: &MethodMatch, world: World) -> Option<Arc<CodeInstance>> {
        let _ = (rt, found, world);
        None
    }
}

/// A compiled host function.
pub trait CompiledBody: Send + Sync + std::fmt::Debug {
    /// The worlds in which it may run.
    fn worlds(&self) -> WorldRange;
    /// Whether it may run in the newest world, in which `instance` is called, although definitions have been added
    /// since: then [`CompiledBody::worlds`] extends to that world.
    fn renew(&self, rt: &Runtime, instance: Instance) -> bool {
        let _ = (rt, instance);
        false
    }
    /// Runs it. `args[0]` is the callee.
    fn call(&self, rt: &Runtime, args: &[Value]) -> Run;
    /// For the host compiler, which knows its own type.
    fn as_any(&self) -> &dyn Any;
}
