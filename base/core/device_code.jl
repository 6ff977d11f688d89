# What stages of compilation make of kernels: `@device_code` and what is like it, which dialects have under their own names,
# and `code_ptx(io, f, types)`. A stage that names a back end shows what a target of it is given, whatever kernels run on:
# no GPU is needed. Everything is shown as text.
module DeviceCode

import Base.Device

# What a stage made of a kernel.
struct Shown
    stage::Symbol
    name::String
    text::String
end
Base.show(io::IO, it::Shown) = print(io, it.text)
Base.show(io::IO, ::MIME"text/plain", it::Shown) = print(io, it.text)
Base.String(it::Shown) = it.text

const NO_KERNELS = "no kernels executed while evaluating the given expression"

begin_watch() = Core.Host.kernel_watch(true)

# The kernels since `begin_watch`, each once: the types of function and arguments, the configuration, and a name.
function end_watch(is_over::Bool)
    jobs = Core.Host.kernel_watch(false)
    is_over && isempty(jobs) && error(NO_KERNELS)
    return jobs
end

text_of(stage::Symbol, job) = Core.Host.kernel_reflect(stage, job[1], job[2], job[3])

comment_of(stage::Symbol) =
    stage === :llvm || stage === :emitted || stage === :gcn || stage === :spirv || stage === :bpf || stage === :metal ? "; " :
    stage === :ptx ? "// " : "# "
signature_of(F, tt) = string(F isa DataType && F <: Function ? name_of(F) : F, "(", join(fieldtypes(tt), ", "), ")")
name_of(F) = isdefined(F, :instance) ? string(F.instance) : string(F)

# Prints what a stage made of each.
function print_watched(stage::Symbol, io::IO, is_over::Bool)
    for job in end_watch(is_over)
        println(io, comment_of(stage), signature_of(job[1], job[2]))
        println(io, chomp(text_of(stage, job)))
        println(io)
    end
    return nothing
end

collect_watched(stage::Symbol, is_over::Bool) =
    Shown[Shown(stage, job[4], text_of(stage, job)) for job in end_watch(is_over)]

# Writes a file for each stage of each kernel.
function write_watched(dir::AbstractString, is_over::Bool)
    jobs = end_watch(is_over)
    mkpath(dir)
    for (number, job) in enumerate(jobs)
        stages = ((:lowered, "lowered.jl"), (:typed, "typed.jl"), (:emitted, "unopt.ll"), (:llvm, "opt.ll"), (:native, "asm"))
        for (stage, ending) in stages
            write(joinpath(dir, string(job[4], "_", number, ".", ending)), text_of(stage, job))
        end
    end
    return nothing
end

# The options before the expression: `io=stdout`, `dir="..."`, `optimize=false`. What else upstream's have changes nothing
# about what there is to show.
const OPTIONS = (:io, :dir, :optimize, :raw, :dump_module, :debuginfo, :strip, :validate, :kernel, :verbose, :interactive,
                 :always_inline, :only_entry, :config, :syntax, :verifier)
function options_of(name, ex)
    isempty(ex) && throw(ArgumentError(string("@", name, ": an expression is needed")))
    found = Dict{Symbol,Any}()
    for option in ex[1:end-1]
        Meta.isexpr(option, :(=)) && option.args[1] in OPTIONS ||
            throw(ArgumentError(string("@", name, ": `", option, "` is no option")))
        found[option.args[1]] = option.args[2]
    end
    return found, ex[end]
end

# Evaluates `ex`, which may assign, where the macro stands; then `last`, whose last argument says whether it went well.
function watching(ex, last)
    return quote
        let is_over = false, shown = nothing
            $begin_watch()
            try
                $(esc(ex))
                is_over = true
            finally
                shown = $(Expr(:call, last.args..., :is_over))
            end
            shown
        end
    end
end

function printing(name, stage, ex)
    options, ex = options_of(name, ex)
    stage = stage === :llvm && get(options, :optimize, true) === false ? :emitted : stage
    return watching(ex, Expr(:call, print_watched, QuoteNode(stage), esc(get(options, :io, GlobalRef(Base, :stdout)))))
end
function collecting(name, stage, ex)
    _, ex = options_of(name, ex)
    return watching(ex, Expr(:call, collect_watched, QuoteNode(stage)))
end

for stage in (:warntype, :llvm, :native, :ptx, :gcn, :spirv, :metal)
    name = Symbol(:device_code_, stage)
    @eval macro $name(ex...)
        printing($(string(name)), $(QuoteNode(stage)), ex)
    end
end
# The name that Metal.jl has for the stage `metal`.
macro device_code_air(ex...)
    printing("device_code_air", :metal, ex)
end
for stage in (:lowered, :typed)
    name = Symbol(:device_code_, stage)
    @eval macro $name(ex...)
        collecting($(string(name)), $(QuoteNode(stage)), ex)
    end
end
macro device_code(ex...)
    options, ex = options_of("device_code", ex)
    haskey(options, :dir) || throw(ArgumentError("@device_code: say where to write: dir=\"...\""))
    return watching(ex, Expr(:call, write_watched, esc(options[:dir])))
end
macro device_code_sass(ex...)
    error("SASS is what NVIDIA's own tools make of PTX: @device_code_ptx shows what kiln gives them, and `kiln compile --emit bin` writes a cubin for cuobjdump")
end

# `types` is a tuple type, or a tuple of types, as the device has them; `options` are those of a launch, or `nothing`.
code(stage::Symbol, f, types, options = nothing) =
    Core.Host.kernel_reflect(stage, Core.Typeof(f), types isa Type ? types : Tuple{types...}, options)
print_code(io::IO, stage::Symbol, f, types, options = nothing) = print(io, code(stage, f, types, options))

# `code_typed(f, types)` and what is like it in a dialect's module, for kernels that see its table. `native` is the stage that
# `code_native` shows.
function define_functions(dialect::Module, table::Symbol, native::Symbol)
    Core.eval(dialect, quote
        const REFLECTED = (; method_tables = ($table,))
        code_lowered(f, types; kws...) = [$Shown(:lowered, string(f), $code(:lowered, f, types, REFLECTED))]
        code_typed(f, types; kws...) = [$Shown(:typed, string(f), $code(:typed, f, types, REFLECTED))]
        code_warntype(io::IO, f, types; kws...) = $print_code(io, :warntype, f, types, REFLECTED)
        code_llvm(io::IO, f, types; optimize::Bool = true, kws...) =
            $print_code(io, optimize ? :llvm : :emitted, f, types, REFLECTED)
        code_native(io::IO, f, types; kws...) = $print_code(io, $(QuoteNode(native)), f, types, REFLECTED)
        # As kernels see it: a method of the dialect's table may take the place of the host's.
        return_type(f, types) = $code(:return_type, f, types, REFLECTED)
    end)
    for name in (:code_warntype, :code_llvm, :code_native)
        Core.eval(dialect, :($name(f, types; kws...) = $name(stdout, f, types; kws...)))
    end
    return nothing
end

# Which NVIDIA GPU, if it is said.
ptx_options(::Nothing) = nothing
ptx_options(cap::VersionNumber) =
    (; target = Symbol("sm_", cap.major, cap.minor), method_tables = Device.tables_of(Main))

end
