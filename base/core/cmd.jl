# Commands: programs with arguments, the literals that write them, and the words of a shell.

abstract type AbstractCmd end
# The bit of `flags` for a process that leads a group of its own.
const UV_PROCESS_DETACHED = 0x00000008
struct Cmd <: AbstractCmd
    exec::Vector{String}
    ignorestatus::Bool
    flags::UInt32
    env::Union{Vector{String}, Nothing}
    dir::String
    cpus::Union{Nothing, Vector{UInt16}}
end
Cmd(exec::Vector{<:AbstractString}) = Cmd(convert(Vector{String}, exec), false, 0x00000000, nothing, "", nothing)
function Cmd(cmd::Cmd; ignorestatus::Bool = cmd.ignorestatus, env = cmd.env, dir::AbstractString = cmd.dir, cpus = cmd.cpus,
        detach::Bool = cmd.flags & UV_PROCESS_DETACHED != 0, windows_verbatim::Bool = false, windows_hide::Bool = false)
    for a in (cmd.dir, cmd.exec...)
        '\0' in a && throw(ArgumentError("strings containing NUL cannot be passed to spawned processes"))
    end
    Cmd(cmd.exec, ignorestatus, detach ? UV_PROCESS_DETACHED : 0x00000000, byteenv(env), String(dir), cpus)
end
==(a::Cmd, b::Cmd) = a.exec == b.exec && a.ignorestatus == b.ignorestatus && a.flags == b.flags && a.env == b.env && a.dir == b.dir && a.cpus == b.cpus
hash(c::Cmd, h::UInt) = hash(c.exec, hash(c.env, hash(c.dir, hash(c.flags, h ⊻ 0x3f8e_51c1_44ab_0917))))
ignorestatus(c::Cmd) = Cmd(c; ignorestatus = true)
detach(c::Cmd) = Cmd(c; detach = true)
byteenv(::Nothing) = nothing
byteenv(env::AbstractVector{<:AbstractString}) = String[checked_argument(e) for e in env]
byteenv(env::AbstractDict) = String[checked_argument(string(k, "=", v)) for (k, v) in env]
byteenv(env::Union{AbstractVector{<:Pair}, Tuple{Vararg{Pair}}}) = String[checked_argument(string(p.first, "=", p.second)) for p in env]
setenv(c::Cmd, env; dir::AbstractString = c.dir) = Cmd(c; env = byteenv(env), dir)
setenv(c::Cmd, env::Pair{<:AbstractString}...; dir::AbstractString = c.dir) = Cmd(c; env = byteenv(env), dir)
setenv(c::Cmd; dir::AbstractString = c.dir) = Cmd(c; dir)
addenv(c::Cmd, env::Pair{<:AbstractString}...; inherit::Bool = true) = addenv(c, Dict(env); inherit)
function addenv(c::Cmd, env::AbstractDict; inherit::Bool = true)
    all_of_it = Dict{String, String}()
    for entry in something(c.env, inherit ? byteenv(ENV) : String[])
        k, v = split(entry, '='; limit = 2)
        all_of_it[k] = v
    end
    for (k, v) in env
        v === nothing ? delete!(all_of_it, k) : (all_of_it[k] = string(v))
    end
    Cmd(c; env = byteenv(all_of_it))
end
setcpuaffinity(c::Cmd, cpus) = Cmd(c; cpus = cpus === nothing ? nothing : UInt16[cpus...])
length(c::Cmd) = length(c.exec)
eltype(::Type{Cmd}) = String
iterate(c::Cmd, state...) = iterate(c.exec, state...)
getindex(c::Cmd, i) = c.exec[i]
firstindex(c::Cmd) = 1
lastindex(c::Cmd) = length(c.exec)
keys(c::Cmd) = keys(c.exec)
julia_cmd(; kws...) = Cmd(String["kiln", "run"])

# Words of a line as a shell splits them. With `interpolate`, `$` begins an expression, and the words are tuples of pieces.
const shell_special = "#{}()[]<>|&*?~;"
@noinline shell_error(text, what) = error("parsing command `", text, "`: ", what)
function shell_parse(text::AbstractString, interpolate::Bool = true; special::AbstractString = "", filename = "none")
    s = String(text)
    words, pieces, plain = Any[], Any[], IOBuffer()
    started = false
    flush_plain() = (t = takestring!(plain); isempty(t) || push!(pieces, t); nothing)
    i, quoting, opened = 1, nothing, 0
    while i <= ncodeunits(s)
        c = s[i]
        next = nextind(s, i)
        if quoting === nothing && isspace(c)
            flush_plain()
            started && push!(words, Expr(:tuple, pieces...))
            pieces, started = Any[], false
        elseif interpolate && c == '$' && quoting != '\''
            flush_plain()
            started = true
            next > ncodeunits(s) && shell_error(s, "\$ right before end of command")
            isspace(s[next]) && shell_error(s, "space not allowed right after \$")
            ex, next = Meta.parseatom(s, next; filename)
            push!(pieces, ex)
        elseif quoting === nothing && c in ('\'', '"')
            quoting, opened, started = c, i, true
        elseif c === quoting
            quoting = nothing
        elseif c == '\\' && quoting != '\''
            started = true
            next > ncodeunits(s) && (quoting === nothing ? shell_error(s, "dangling backslash") : shell_error(s, "unterminated double quote"))
            e = s[next]
            if e == '\n' || e == '\r'
                # The end of the line and the indentation of the next one are nothing.
                next = nextind(s, next)
                e == '\r' && next <= ncodeunits(s) && s[next] == '\n' && (next = nextind(s, next))
                while next <= ncodeunits(s) && (s[next] == ' ' || s[next] == '\t')
                    next = nextind(s, next)
                end
            else
                quoting == '"' && !(e in ('"', '$', '\\')) && print(plain, '\\')
                print(plain, e)
                next = nextind(s, next)
            end
        else
            quoting === nothing && c in special && shell_error(s, string("special characters \"", special, "\" must be quoted in commands"))
            started = true
            print(plain, c)
        end
        i = next
    end
    quoting === nothing || shell_error(s, string("unterminated ", quoting == '"' ? "double" : "single", " quote"))
    flush_plain()
    started && push!(words, Expr(:tuple, pieces...))
    Expr(:tuple, words...)
end
shell_split(s::AbstractString) = String[string(word.args...) for word in shell_parse(s, false).args]

# The strings of a word: an iterable piece makes one for each of its elements.
strings_of_piece(x::AbstractString) = String[checked_argument(x)]
strings_of_piece(c::Cmd) = c.env === nothing && !c.ignorestatus && isempty(c.dir) ? c.exec :
    throw(ArgumentError("Non-default environment behavior is only permitted for the first interpolant."))
strings_of_piece(::Nothing) = throw(ArgumentError("`nothing` should not be interpolated into commands"))
strings_of_piece(x) = applicable(iterate, x) && !(x isa Union{Number, Char}) ? String[checked_argument(string(y)) for y in x] : String[checked_argument(string(x))]
checked_argument(s) = '\0' in s ? throw(ArgumentError("strings containing NUL cannot be passed to spawned processes")) : String(s)
arg_gen() = String[""]
arg_gen(x) = strings_of_piece(x)
arg_gen(x, rest...) = (tails = arg_gen(rest...); String[string(a, b) for a in strings_of_piece(x) for b in tails])
# A command of strings is new memory and nothing else. Other parts may do anything when they become strings.
const StringWords = Tuple{Vararg{Tuple{Vararg{Union{String, SubString{String}}}}}}
@assume_effects :effect_free :terminates_globally :noub cmd_gen(words::StringWords) = command_of_words(words)
cmd_gen(words) = command_of_words(words)
function command_of_words(words)
    isempty(words) && return Cmd(String[])
    whole = words[1] isa Tuple{Cmd} ? words[1][1] : nothing
    exec = String[]
    for (k, word) in enumerate(words)
        append!(exec, k == 1 && whole !== nothing ? whole.exec : arg_gen(word...))
    end
    whole === nothing ? Cmd(exec) : Cmd(exec, whole.ignorestatus, whole.flags, whole.env, whole.dir, whole.cpus)
end
# Macros that stand in a command are called where the command is.
at_source(x, source) = x
at_source(x::Expr, source) = x.head === :macrocall ? Expr(:macrocall, x.args[1], source, map(a -> at_source(a, source), x.args[3:end])...) :
    Expr(x.head, map(a -> at_source(a, source), x.args)...)
Core.eval(Core, :(macro cmd(text)
    words = Base.shell_parse(text; special = Base.shell_special, filename = Base.string(Base.something(__source__.file, "none")))
    Expr(:call, GlobalRef(Base, :cmd_gen), Base.esc(Base.at_source(words, __source__)))
end))
Core.eval(Base, :(const var"@cmd" = Core.var"@cmd"))

# A word as it stands in a command.
function print_shell_word(io::IO, word::AbstractString, special::AbstractString = "")
    if isempty(word) || any(c -> isspace(c) || c in "\\\"'\$" || c in special, word)
        '\'' in word ? (print(io, '"'); escape_string(io, word, "\"\$"); print(io, '"')) : print(io, '\'', word, '\'')
    else
        print(io, word)
    end
end
shell_escape(args::AbstractString...; special::AbstractString = "") = shell_escape(args; special)
function shell_escape(args; special::AbstractString = "")
    sprint() do io
        for (k, a) in enumerate(args)
            k > 1 && print(io, ' ')
            print_shell_word(io, a, special)
        end
    end
end
shell_escape(c::Cmd; special::AbstractString = "") = shell_escape(c.exec; special)
function show(io::IO, c::Cmd)
    environment = c.env !== nothing || !isempty(c.dir)
    print(io, environment ? "setenv(" : "", c.cpus !== nothing ? "setcpuaffinity(" : "", '`')
    for (k, word) in enumerate(c.exec)
        k > 1 && print(io, ' ')
        text = sprint(out -> with_output_color(print_shell_word, :underline, out, word, shell_special); context = io)
        print(io, replace(text, '`' => "\\`"))
    end
    print(io, '`')
    c.cpus === nothing || print(io, ", ", repr(collect(Int, c.cpus)), ")")
    c.env === nothing || (print(io, ","); show(io, c.env))
    isempty(c.dir) || (print(io, "; dir="); show(io, c.dir))
    print(io, environment ? ")" : "")
    nothing
end
export Cmd, @cmd, ignorestatus, detach, setenv, addenv, setcpuaffinity, run
