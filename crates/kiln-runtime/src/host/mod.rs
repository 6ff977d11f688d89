//! Host functions: the services that Julia reaches by `ccall`, bound in `Core.Host`. Host code only.
//!
//! | function | arguments and result |
//! |---|---|
//! | `string_from_memory` | `(mem::Memory{UInt8}, offset::Int, n::Int)::String`, offset from 0 |
//! | `string_pointer` | `(s::String)::Ptr{UInt8}`, a NUL follows the last byte |
//! | `symbol_from_string` | `(s::String)::Symbol` |
//! | `symbol_name` | `(s::Symbol)::String` |
//! | `gensym` | `(prefix::String)::Symbol` |
//! | `float_to_string` | `(x, mode::Symbol, digits::Int)::String`; modes `:shortest` (`print`), `:compact` (six digits), `:lettered` and `:compact_lettered` (the same with the exponent of a `Float32` after `f`), `:typed` (`show`), `:typed_compact`, `:fixed` (`%.*f`), `:exp` (`%.*e`) |
//! | `parse_float64`, `parse_float32` | `(s::String)::Union{Float64, Nothing}`, `Union{Float32, Nothing}` |
//! | `text_of` | `(xs...)::Union{String, Nothing}`: what `print` writes of strings, symbols, characters and machine numbers; `nothing` if another value is among them, or one that the program prints by a method of its own |
//! | `put_text` | `(io::IOBuffer, xs...)::Int`: writes the same up to such a value; how many it wrote, -1 for a buffer with a limit, a gap or read bytes that can go |
//! | `join_text` | `(items::Union{Array, Tuple}, delim, last)::Union{String, Nothing}` |
//! | `take_line` | `(io::IOBuffer, keep::Bool, whole::Bool)::Union{String, Nothing}`: the next line; `nothing` if it has no end and is to have one |
//! | `format_text` | `(packed::String, values...)::Union{String, Nothing}`: a `Printf.Format`; `nothing` for a value or a part that Julia code formats |
//! | `integer_text` | `(x, base::Int, pad::Int)::String`, of a machine integer |
//! | `copy_bytes` | `(to, at::Int, from, first::Int, n::Int)::Nothing`: memories, strings and addresses, places from 0 |
//! | `text_fact` | `(what::Symbol, s)::Int`: `:chars`, and 1 or 0 for `:ascii`, `:valid` |
//! | `ascii_case` | `(s, upper::Bool)::Union{String, Nothing}` |
//! | `find_text` | `(text, what, from::Int, backwards::Bool, [last::Int])::Int`: a place from 1, or 0; -1 if Julia code has to look; only the first `last` bytes count |
//! | `count_text` | `(text, what)::Int`, without overlaps; -1 if Julia code has to count |
//! | `compare_text` | `(a, b)::Int`: -1, 0, 1 |
//! | `has_text` | `(text, what, at::Int)::Bool`: whether it stands at byte `at`, from 1 |
//! | `strip_text` | `(s, left::Bool, right::Bool)::SubString{String}`, without white space |
//! | `split_text` | `(s, delim, limit::Int, keepempty::Bool)::Union{Memory{SubString{String}}, Nothing}`; white space if the delimiter is `nothing` |
//! | `replace_text` | `(s, count::Int, what, with, ...)::Union{String, Nothing}` |
//! | `parse_integer` | `(T, s, base::Int)::Union{T, Nothing}`; base 0: from a prefix |
//! | `write_bytes` | `(fd::Int, p::Ptr, n::Int)::Int` or `(fd::Int, s::String)::Int`: bytes written |
//! | `read_line` | `(fd::Int)::Union{String, Nothing}`, line end included |
//! | `read_file` | `(path::String)::Union{String, Nothing}` |
//! | `write_file` | `(path::String, data::String)::Bool` |
//! | `file_stream` | `(what::Symbol, ...)::Int`, negative for an error: `(:open, path, bits)` gives a stream (1 read, 2 write, 4 create, 8 truncate, 16 append); `(:read, stream, memory, at, n)` and `(:write, stream, bytes, at, n)` the bytes done, places from 0; `(:seek, stream, offset, from)` the place (from 0 the start, 1 here, 2 the end); `(:resize, stream, n)`, `(:never_wait, stream)`: what would wait is the error `EAGAIN`, `(:flush)`: what was printed is written, `(:close, stream)` |
//! | `file_status` | `(path::String, follow::Bool)::Union{Vector{Int}, Int}`: device, inode, mode, links, user, group, represented device, size, block size, blocks, times of modification and change in nanoseconds; or the number of the error |
//! | `may_access` | `(path::String, bits::Int)::Bool`: whether the process may read (4), write (2), execute (1) |
//! | `list_directory` | `(path::String)::Union{Vector{String}, Int}`: names, sorted, or the number of the error |
//! | `path_target` | `(what::Symbol, path::String)::Union{String, Int}`: `:link` reads a link, `:real` resolves all; or the number of the error |
//! | `change_files` | `(what::Symbol, path::String, [to])::Int`: 0 or the number of the error; `:mkdir`, `:chmod` with bits, `:chown` with two numbers, `:rename`, `:copy`, `:symlink`, `:hardlink` with a path, `:mkfile`, `:unlink`, `:rmdir`, `:touch`, `:cd` |
//! | `process` | `(what::Symbol, ...)::Int`, negative for an error: `(:spawn, words, environment, directory, stdin, stdout, stderr, detached)` gives a process, streams 0, 1, 2 those of this process, -1 without content; `(:end, process)` the exit code and, from bit 32 on, the signal, `typemax(Int)` while it runs; `(:signal, process, number)`; `(:pipe)` the stream to read and, from bit 32 on, that to write |
//! | `process_fact` | `(what::Symbol)::Int`: `:pid`, `:uid`, `:euid`, `:umask` |
//! | `environment` | `()::Vector{String}` of `NAME=value`, sorted |
//! | `regex_match` | `(pattern::String, options::String, subject::String, start::Int)::Union{Vector{Int}, Nothing}`: from byte `start` (from 0), begin and end of the match and of each group, bytes from 0, -1 where a group took no part |
//! | `regex_names` | `(pattern::String, options::String)::Vector{Any}`: the name of each group, or `nothing`; throws if the pattern is none |
//! | `time_ns`, `random_seed` | `()::UInt64`; `time_ns(:compile)`, `time_ns(:recompile)`: what making methods ready to run took so far |
//! | `wall_time` | `()::Float64`, seconds since 1970 |
//! | `exit` | `([code::Int])`, does not return |
//! | `program_args` | `()::Vector{String}` |
//! | `getenv` | `(name::String)::Union{String, Nothing}` |
//! | `cwd` | `()::String` |
//! | `is_tty` | `(fd::Int)::Bool` |
//! | `object_id`, `type_hash` | `(x)::UInt64`; the latter of a type, the same in every process |
//! | `pointer_from_objref` | `(x)::Ptr{Nothing}` |
//! | `genericmemory_copyto` | `(dest::MemoryRef, src::MemoryRef, n::Int)::Nothing`: copies `n` elements as if through a buffer, undefined ones too; of one element type |
//! | `copy_ast` | `(x)`: copies `Expr`s, deeply |
//! | `allocated_bytes` | `()::Int`, or `(:count)::Int` for the number of allocations, `(:live)::Int` for bytes in use |
//! | `gc` | `(:collect)`, `(:size, x)::Int` of all that `x` reaches, `(:time)::SimpleVector` of pauses and their nanoseconds, `(:enable, on)::Bool`, `(:finalizer, f, object)`, `(:finalizers, object)::SimpleVector` takes them, `(:next, all)` takes one that is ready, or any: `svec(f, object)` or `nothing` |
//! | `typejoin` | `(a::Type, b::Type)::Type` |
//! | `typeintersect` | `(a::Type, b::Type)::Type`; with `:walk`, found though one is below the other; with `:env`, `svec(intersection, svec(values of the variables of b))` |
//! | `morespecific` | `(a, b)::Bool` of types or methods; `(a::Type, b::Type, true)` by their parts alone |
//! | `type_equal` | `(a::Type, b::Type)::Bool` |
//! | `type_string` | `(T)::String` |
//! | `datatype_layout` | `(T)::NamedTuple` with `size`, `align`, `nfields` (`Int`s, 0 where there is no layout), `isbits`, `concrete`, `abstract`, `primitive`, `mutable`, `pointerfree`, `tuple`, `namedtuple` (`Bool`s) |
//! | `fieldoffset` | `(T, i::Int)::Int`, field from 1 |
//! | `has_free_typevars` | `(T)::Bool`: whether a variable occurs that no `UnionAll` in `T` binds |
//! | `hasmethod` | `(f, T::Type{<:Tuple})::Bool` |
//! | `methods_list` | `(f, [T])::Vector{Any}` of `Method`s, the most specific first; `()`: all, in the order of definition |
//! | `match_methods` | `(sig::Type, world::UInt, limit::Int, listed::Bool, table)::Union{Nothing, Tuple}`: nothing if there are more than `limit` (-1: no limit), else `(matches, min, max, ambiguous)` with `svec(spec_types, sparams, method, fully_covers)` for each match; ambiguous ones too if `listed`; of the global table if `table` is `nothing` |
//! | `method_info` | `(f, T)::Method`, the one a call goes to; `(m::Method)::NamedTuple` with `name`, `module`, `sig`, `file`, `line`, `nargs`, `isva`, `argnames`, `keywords` |
//! | `return_type` | `(f, T)::Type`: what inference finds, else `Any` |
//! | `module_of` | `(x)::Module`: where the function or type is defined |
//! | `module_parent`, `module_name` | `(m::Module)::Module`, `::Symbol` |
//! | `module_names` | `(m::Module, [all::Bool])::Vector{Symbol}`, sorted; exported and public ones unless all |
//! | `isconst` | `(m::Module, s::Symbol)::Bool` |
//! | `generating` | `()::Bool`: whether a generator runs; `(:method)`: `svec(method, world)` of it, the world that asks for its code, or `nothing` |
//! | `world_counter` | `()::UInt64` |
//! | `is_newest_world` | `()::Bool`: whether the running code runs in the newest world |
//! | `eval` | `(m::Module, expr)` |
//! | `lower` | `(m::Module, expr)`: `Expr(:thunk, ::CodeInfo)`, `Expr(:error, message)`, or the expression where nothing is to be lowered |
//! | `lowered_code` | `(m::Method)` or `(m::MethodInstance)`: `::CodeInfo`; of an instance, the code that a generator makes |
//! | `typed_code` | `(f, T, world)::Vector{Any}` of `svec(code, type, is_const)`, one a method; where `is_const`, the code is the value instead |
//! | `invalidation_log` | `(on::Bool)::Vector{Any}`: starts the log of invalidations, which infers what has been called, or stops it and gives its entries: a method instance and how many calls away (`Int32`), or the cause of those before: a method instance, a signature, `(module, name, world)`, a method, each with Julia's tag |
//! | `macroexpand` | `(m::Module, expr, recursive::Bool = true)` |
//! | `parse_string` | `(s::String, start::Int, rule::Symbol, file::String, line::Int)::Tuple`: an expression (`nothing` if there is none), where the next begins, bytes from 1, a message if the text is wrong, and what is missing if it is incomplete; the rule is `:statement`, `:atom` or `:all` |
//! | `include_file` | `(m::Module, path::String[, mapexpr])` |
//! | `find_package`, `pathof` | `(name::String)`, `(m::Module)`: `Union{String, Nothing}`; `pathof()`: the file that is being read |
//! | `packages` | `(what::Symbol, ...)`: `(:identify, uuid, name, wanted)` a tuple of name and UUID, or `nothing`; `(:locate, uuid, name)` a tuple of file (empty for the library's) and version; `(:extensions, uuid, name)` lists of names and UUIDs, the extension's first; `(:preferences, uuid)`, `(:toml, text, file)` a table as a tuple of keys and values; `(:load, uuid, name, file)` a module; `(:library, name)` modules, dependencies first; `(:uuid, module)`, `(:active)`, `(:expand, entry)`, `(:environments)`, `(:searched)` texts. A UUID that there is not is an empty text |
//! | `current_exceptions` | `()::Vector{Any}` of `(; exception, backtrace)`, the innermost last |
//! | `backtrace` | `()::Vector{Any}` of `(; name, file, line, mod, code)` of the exception being handled; `(true)`: of the running code |
//! | `rethrow` | `([e])`, does not return |
//! | `new_method_table` | `(name, module)::Core.MethodTable`; `(nothing)`: the runtime's own, while Base is loaded |
//! | `big_integer` | `(what::Symbol, T::Type, args...)`: arithmetic of `T = BigInt`; operands are `T`, `Int64` or `UInt64`, see `big_integer.rs` |
//! | `big_float` | `(what::Symbol, T::Type, settings::Tuple, args...)`: arithmetic of `T = BigFloat`; settings are precision, rounding mode, least and greatest exponent; see `big_float.rs` |
//! | `kernel_compile` | `(f, tt::Type, options)::UInt64` |
//! | `precompile` | `(f, tt::Type)::Bool` |
//! | `kernel_launch` | `(handle::UInt64, groups::NTuple{3, Int}, items::NTuple{3, Int}, shared::Union{Int, NTuple{5, Int}}, args...)::Nothing` |
//! | `kernel_synchronize` | `()::Nothing` |
//! | `kernel_free` | `(m::Memory)::Bool`: kernels are not to access it any more; whether that is checked |
//! | `kernel_reserve` | `(m::Memory)::Nothing`: nothing is in it yet, and kernels will use it: the device need not copy it |
//! | `kernel_stream` | `(what::Symbol, a::Int, b::Int)::Int`: `:use` makes a stream (0: the default) the one that launches go to from now on, and gives the one before; `:synchronize` waits for a stream; `:query` says whether it has nothing to do; `:record` waits until a stream has come this far, takes a note of the time in event `b` (0: a new one), and gives the event; `:wait` tells what became of launches before an event, `:time` is its time in nanoseconds |
//! | `kernel_own_memory` | `()::Bool`: whether the device that kernels run on, or those that an image is built for, have memory of their own |
//! | `kernel_device` | `()::Tuple{String, String, Int, Int, Int, Int, Int, Int}`: of the device that kernels run on the name, the target, items of a group at most, compute units, bytes of shared memory of a group, bytes of memory, items that run in step, bytes of shared memory that a launch may ask for |
//! | `kernel_watch` | `(begin::Bool)::Tuple`: of what was asked for since it began, `(f::Type, tt::Type, configuration::Int)` each |
//! | `kernel_reflect` | `(stage::Symbol, f::Type, tt::Type, options)::Union{String, Type}`; the options a configuration, those of a launch, or `nothing` |

mod arguments;
mod big_float;
mod big_integer;
mod bytes;
mod code_instances;
mod collections;
mod evaluation;
mod exact_decimal;
mod files;
mod float_parse;
mod float_text;
mod formatting;
mod inferred;
mod integer_parse;
mod invalidations;
mod kernels;
mod matching;
mod methods;
mod objects;
mod own_printing;
mod packages;
mod printing;
mod processes;
mod reflection;
mod regex;
mod regex_subroutines;
mod regex_syntax;
mod search;
mod streams;
mod system;
mod tasks;
mod text;
mod text_questions;
mod worlds;

pub use bytes::TextFact;
pub(crate) use bytes::TextTypes;
pub(crate) use code_instances::invoked;
use float_parse::{parse_float32, parse_float64};
pub use float_text::{FloatKind, fixed, half_value, scientific, shortest, typed};
pub use methods::method_field;
pub(crate) use own_printing::OwnPrinting;
pub(crate) use regex::RegexCache;
pub use text_questions::{TextAnswer, TextOperand, TextQuestion, substring_type};

use crate::{Run, Runtime, Value};
use arguments::Arguments;
use kiln_ir::HostFunction;

/// Calls a host function.
#[expect(clippy::too_many_lines, reason = "a table: one line a function")]
pub fn call(rt: &Runtime, function: HostFunction, args: &[Value]) -> Run {
    use HostFunction as H;
    let args = Arguments { rt, function, values: args };
    match function {
        H::StringFromMemory => text::string_from_memory(&args),
        H::StringPointer => text::string_pointer(&args),
        H::SymbolFromString => text::symbol_from_string(&args),
        H::SymbolName => text::symbol_name(&args),
        H::Gensym => text::gensym(&args),
        H::FloatToString => text::float_to_string(&args),
        H::ParseFloat64 | H::ParseFloat32 => text::parse_float(&args),
        H::TextOf => printing::text_of(&args),
        H::PutText => printing::put_text(&args),
        H::JoinText => printing::join_text(&args),
        H::TakeLine => printing::take_line(&args),
        H::FormatText => formatting::format_text(&args),
        H::IntegerText => printing::integer_text(&args),
        H::CopyBytes => bytes::copy_bytes(&args),
        H::TextFact => bytes::text_fact(&args),
        H::AsciiCase => bytes::ascii_case(&args),
        H::FindText => search::find_text(&args),
        H::CountText => search::count_text(&args),
        H::CompareText => search::compare_text(&args),
        H::HasText => search::has_text(&args),
        H::StripText => search::strip_text(&args),
        H::SplitText => search::split_text(&args),
        H::ReplaceText => search::replace_text(&args),
        H::ParseInteger => integer_parse::parse_integer(&args),
        H::Write => system::write(&args),
        H::ReadLine => system::read_line(&args),
        H::ReadFile => system::read_file(&args),
        H::WriteFile => system::write_file(&args),
        H::FileStream => streams::file_stream(&args),
        H::FileStatus => files::file_status(&args),
        H::MayAccess => files::may_access(&args),
        H::ListDirectory => files::list_directory(&args),
        H::PathTarget => files::path_target(&args),
        H::ChangeFiles => files::change_files(&args),
        H::Process => processes::process(&args),
        H::ProcessFact => system::process_fact(&args),
        H::Environment => system::environment(&args),
        H::RegexMatch => regex::regex_match(&args),
        H::RegexNames => regex::regex_names(&args),
        H::TimeNs | H::WallTime | H::RandomSeed => system::clock(&args),
        H::Exit => system::exit(&args),
        H::Args => system::program_args(&args),
        H::Getenv => system::getenv(&args),
        H::Cwd => system::cwd(&args),
        H::IsTty => system::is_tty(&args),
        H::ObjectId => objects::object_id(&args),
        H::PointerFromObjref => objects::pointer_from_objref(&args),
        H::Identityhash => objects::type_hash(&args),
        H::GenericmemoryCopyto => objects::genericmemory_copyto(&args),
        H::CopyAst => objects::copy_ast(&args),
        H::AllocatedBytes => objects::allocated(&args),
        H::Gc => collections::gc(&args),
        H::Typeintersect | H::Typejoin | H::TypeEqual => reflection::relation(&args),
        H::TypeString => reflection::type_string(&args),
        H::FieldOffset => reflection::fieldoffset(&args),
        H::Layout => reflection::layout(&args),
        H::Hasmethod => methods::hasmethod(&args),
        H::MoreSpecific => matching::more_specific(&args),
        H::MatchMethods => matching::match_methods(&args),
        H::Methods => methods::methods_list(&args),
        H::MethodInfo => methods::method_info(&args),
        H::ReturnType => inferred::return_type(&args),
        H::WhichModule => objects::module_of(&args),
        H::ModuleParent => objects::module_parent(&args),
        H::ModuleName => objects::module_name(&args),
        H::ModuleNames => objects::module_names(&args),
        H::Isconst => objects::isconst(&args),
        H::WorldCounter => objects::world_counter(&args),
        H::ReturnTypes => inferred::return_types(&args),
        H::InferEffects => inferred::effects(&args),
        H::BindingInfo => worlds::binding_info(&args),
        H::MethodInstances => methods::method_instances(&args),
        H::HasFreeTypevars => reflection::has_free_typevars(&args),
        H::FieldAttribute => reflection::field_attribute(&args),
        H::IntrinsicName => reflection::intrinsic_name(&args),
        H::WrapMemory => objects::wrap_memory(&args),
        H::TaskStart => tasks::start(&args),
        H::TaskSwitch => tasks::switch(&args),
        H::SleepNs => tasks::sleep(&args),
        H::Generating => tasks::generating(&args),
        H::RunningWorld => worlds::running_world(&args),
        H::IsNewestWorld => worlds::is_newest_world(&args),
        H::CallInWorld => worlds::call_in_world(&args),
        H::GlobalInWorld => worlds::global_in_world(&args),
        H::DeleteMethod => worlds::delete_method(&args),
        H::DeleteBinding => worlds::delete_binding(&args),
        H::InvalidationLog => invalidations::log(&args),
        H::NewModule => worlds::new_module(&args),
        H::Eval => evaluation::eval(&args),
        H::Lower => evaluation::lower(&args),
        H::LoweredCode => methods::lowered_code(&args),
        H::TypedCode => inferred::typed_code(&args),
        H::MacroExpand => evaluation::macroexpand(&args),
        H::ParseString => evaluation::parse_string(&args),
        H::IncludeText => evaluation::include_text(&args),
        H::IncludeFile => evaluation::include_file(&args),
        H::FindPackage => evaluation::find_package(&args),
        H::Packages => packages::packages(&args),
        H::Pathof => evaluation::pathof(&args),
        H::CurrentException => evaluation::current_exceptions(&args),
        H::Backtrace => evaluation::backtrace(&args),
        H::Rethrow => evaluation::rethrow(&args),
        H::NewMethodTable => methods::new_method_table(&args),
        H::BigInteger => big_integer::call(&args),
        H::BigFloat => big_float::call(&args),
        H::KernelCompile => kernels::compile(&args),
        H::KernelLaunch => kernels::launch(&args),
        H::Precompile => kernels::precompile(&args),
        H::KernelSynchronize => kernels::synchronize(&args),
        H::KernelFree => kernels::free(&args),
        H::KernelReserve => kernels::reserve(&args),
        H::KernelStream => kernels::stream(&args),
        H::KernelOwnMemory => kernels::own_memory(&args),
        H::KernelDevice => kernels::device(&args),
        H::KernelWatch => kernels::watch(&args),
        H::KernelReflect => kernels::reflect(&args),
    }
}

#[cfg(test)]
mod tests;
