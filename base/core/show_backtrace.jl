# Stack traces as text: one call and one place a frame, frames of Base's own machinery left out, repetitions told once.

print_in_trace(io, xs...; color = :normal, bold = false) =
    get(io, :backtrace, false)::Bool ? printstyled(io, xs...; color, bold) : print(io, xs...)
# A type's parameters are less important than its name.
function print_frame_type(io, T, vars)
    text = type_text(T, vars)
    # The rest of the keywords is a named tuple inside.
    if T isa DataType && T <: Pairs && length(T.parameters) == 4 && T.parameters[4] isa DataType && T.parameters[4] <: NamedTuple
        text = replace(type_text(T.parameters[4], vars), "@NamedTuple" => "@Kwargs"; count = 1)
    end
    brace = findfirst('{', text)
    brace === nothing && return print_in_trace(io, text)
    print_in_trace(io, text[1:prevind(text, brace)])
    print_in_trace(io, text[brace:end]; color = :light_black)
end
argument_names(m::Method) = Any[startswith(string(n), '#') ? "" : string(n) for n in m.argnames]

# A call of `m` with arguments of the types in `sig`. The method that holds the body of a method with keywords takes them
# first, then the function: they are shown behind the arguments.
function show_frame_call(out::IO, m::Method, @nospecialize(sig))
    types = Any[unwrap_unionall(sig).parameters...]
    names = argument_names(m)
    known = length(names) == length(types)
    nkw = Int(m.nkw)
    keywords = collect(zip(names[2:nkw + 1], types[2:nkw + 1]))
    nkw > 0 && (deleteat!(types, 1:nkw + 1); deleteat!(names, 1:nkw + 1))
    vars = signature_vars(sig)
    buffer = IOBuffer()
    io = IOContext(buffer, out)
    print_in_trace(io, callee_text(types[1], Symbol("#self#"), vars); bold = true)
    print_in_trace(io, "("; bold = true)
    for i in 2:length(types)
        i > 2 && print(io, ", ")
        known && print_in_trace(io, names[i]; color = :light_black)
        print(io, "::")
        print_frame_type(io, types[i], vars)
    end
    isempty(keywords) || print(io, "; ")
    for (i, (name, T)) in enumerate(keywords)
        i > 1 && print(io, ", ")
        print_in_trace(io, name; color = :light_black)
        # Keywords that nothing came for show as the rest that they are.
        T == typeof(pairs((;))) ? print(io, "...") : (print(io, "::"); print_frame_type(io, T, vars))
    end
    print_in_trace(io, ")"; bold = true)
    print(io, where_text(sig))
    print(out, types_within_limit(out, takestring!(buffer)))
    nothing
end

# Text with types in it, no wider than the context allows: its deepest parameters are left out until it is. The flag in the
# context tells the caller that something is missing.
function types_within_limit(io, text::String)
    flag = get(io, :stacktrace_types_limited, nothing)
    flag isa RefValue{Bool} || return text
    limited = type_depth_limit(text, max(displaysize(io)[2], 120))
    ncodeunits(limited) < ncodeunits(text) && (flag[] = true)
    limited
end
# Where a printed text nests in braces: each character with its depth, a brace counted with what is outside. Escapes of a
# terminal have no width; quotes hide the braces in them.
function brace_depths(text::String)
    found = Tuple{String, Int, Int}[]
    depth, quoted, escaped = 0, '\0', false
    i = firstindex(text)
    while i <= lastindex(text)
        if text[i] == '\e'
            stop = something(findnext('m', text, i), lastindex(text))
            push!(found, (text[i:stop], depth, 0))
            i = nextind(text, stop)
            continue
        end
        c = text[i]
        if quoted == '\0'
            c == '}' && (depth -= 1)
            (c == '\'' || c == '"') && (quoted = c)
        elseif !escaped && c == quoted
            quoted = '\0'
        end
        escaped = quoted != '\0' && c == '\\' && !escaped
        push!(found, (string(c), depth, textwidth(c)))
        quoted == '\0' && c == '{' && (depth += 1)
        i = nextind(text, i)
    end
    found
end
# Leaves out what is nested in at least `maxdepth` braces, or as deep as makes the text at most `n` wide.
function type_depth_limit(text::String, n::Int; maxdepth = nothing)
    parts = brace_depths(text)
    limit = maxdepth === nothing ? maximum(p -> p[2], parts; init = 0) + 1 : maxdepth
    if maxdepth === nothing
        while limit > 1 && limited_width(parts, limit) > n
            limit -= 1
        end
    end
    limited_text(parts, limit)
end
limited_width(parts, limit) =
    sum(k -> parts[k][2] < limit ? parts[k][3] : Int(starts_deeper(parts, k, limit)), eachindex(parts); init = 0)
starts_deeper(parts, k, limit) = parts[k][2] >= limit && parts[k][3] > 0 && opens_before(parts, k, limit)
function opens_before(parts, k, limit)
    while k > 1
        k -= 1
        parts[k][3] > 0 && return parts[k][2] < limit
    end
    true
end
function limited_text(parts, limit)
    sprint() do io
        for k in eachindex(parts)
            text, depth, width = parts[k]
            (depth < limit || width == 0) && print(io, text)
            starts_deeper(parts, k, limit) && print(io, "…")
        end
    end
end

# The frames that a trace shows, each with how often it repeats.
function process_backtrace(trace::Vector, limit::Int = typemax(Int); skipC = true)
    shown = Any[]
    taken = 0
    looked_up = Dict{Any, Vector{StackFrame}}()
    for entry in trace
        # Frames of different functions that have the same name and line are equal.
        frames = entry isa StackFrame ? shown_frames(StackFrame[entry], skipC) :
            get!(() -> shown_frames(StackTraces.lookup(entry), skipC), looked_up, entry)
        for frame in frames
            taken += 1
            taken > limit && return collapsed_frames(shown)
            if !isempty(shown)
                last, n = shown[end]
                if frame.linfo === last.linfo && frame == last
                    shown[end] = (last, n + 1)
                    continue
                end
            end
            push!(shown, (frame, 1))
        end
    end
    collapsed_frames(shown)
end
shown_frames(found, skipC) = filter!(f -> f !== StackTraces.UNKNOWN && !(f.from_c && skipC) && !is_keyword_call(f), found)
# The method that takes keywords out of a named tuple: the one with the body follows, and says more.
function is_keyword_call(frame)
    m = StackTraces.method_of(frame)
    m isa Method ? unwrap_unionall(m.sig).parameters[1] === typeof(kwcall) && m.nargs > 2 : frame.func === :kwcall
end
# Of frames at one place, those that only pass on to the one above them are left out: a method for fewer arguments, and the
# one that gives keywords their defaults.
function collapsed_frames(shown)
    keep = trues(length(shown))
    for k in 2:length(shown)
        above, frame = shown[k - 1][1], shown[k][1]
        above.file == frame.file && above.line == frame.line || continue
        above.linfo === nothing && startswith(string(above.func), '#') && (keep[k - 1] = false)
        inner, outer = StackTraces.method_of(above), StackTraces.method_of(frame)
        inner isa Method && outer isa Method && passes_on(outer, inner) && (keep[k] = false)
    end
    shown[keep]
end
function passes_on(outer::Method, inner::Method)
    given, taken = unwrap_unionall(outer.sig).parameters, unwrap_unionall(inner.sig).parameters
    nkw = Int(inner.nkw)
    nkw > 0 && given == taken[nkw + 2:end] && return true
    nkw > 0 && (taken = taken[nkw + 2:end])
    length(taken) > length(given) && all(i -> given[i] == taken[i], eachindex(given))
end

stacktrace_expand_basepaths() = get_bool_env("JULIA_STACKTRACE_EXPAND_BASEPATHS", false) === true
stacktrace_contract_userdir() = get_bool_env("JULIA_STACKTRACE_CONTRACT_HOMEDIR", true) === true
stacktrace_linebreaks() = get_bool_env("JULIA_STACKTRACE_LINEBREAKS", false) === true
# Called with the frames before they are printed, each with its count, to correct them.
const update_stackframes_callback = Ref{Function}(identity)
# Modules have colours in the order in which they are first shown.
const STACKTRACE_MODULECOLORS = Iterators.Stateful(Iterators.cycle([:magenta, :cyan, :green, :yellow]))
const STACKTRACE_FIXEDCOLORS = IdDict{Any, Any}(Base => :light_black, Core => :light_black)
outermost_module(m::Module) = (p = parentmodule(m); p === m || p === Main ? m : outermost_module(p))
module_color(::Nothing) = :default
module_color(m::Module) = get!(() -> popfirst!(STACKTRACE_MODULECOLORS), STACKTRACE_FIXEDCOLORS, outermost_module(m))
const BIG_STACKTRACE_SIZE = 50

# Where a frame or a method is: ` @ Module file:line`, in colours.
function print_module_path_file(io, m, file, line; modulecolor = :light_black, digit_align_width = 0)
    printstyled(io, " "^digit_align_width, "@"; color = :light_black)
    m === nothing || modulecolor === nothing || (print(io, " "); printstyled(io, m; color = modulecolor))
    isempty(file) && return nothing
    stacktrace_contract_userdir() && (file = contractuser(file))
    print(io, " ")
    dir = dirname(file)
    isempty(dir) || printstyled(io, dir, '/'; color = :light_black)
    printstyled(io, basename(file), ":", line; color = :light_black, underline = true)
end
function print_stackframe(io, i, frame::StackFrame, n::Int, ndigits_max)
    width = ndigits_max + 2
    print(io, " ", lpad(string("[", i, "]"), width), " ")
    StackTraces.show_spec_linfo(IOContext(io, :backtrace => true), frame)
    n > 1 && printstyled(io, " (repeats ", n, " times)"; color = :yellow, bold = true)
    println(io)
    m = parentmodule(frame)
    print_module_path_file(io, m, string(frame.file), frame.line; modulecolor = module_color(m), digit_align_width = width)
    frame.inlined && printstyled(io, " [inlined]"; color = :light_black)
    nothing
end

function show_backtrace(io::IO, trace::Vector)
    frames = trace isa Vector{Any} && (isempty(trace) || trace[1] isa Tuple{StackFrame, Int}) ? trace : process_backtrace(trace)
    isempty(frames) && return nothing
    first = frames[1][1]
    # Top-level code of no place says nothing.
    length(frames) == 1 && StackTraces.is_top_level_frame(first) && first.line == 0 && first.file === Symbol("") && return nothing
    groups = length(frames) > BIG_STACKTRACE_SIZE ? repeated_groups(frames) : Tuple{Int, Int, Int}[(k, 1, 1) for k in eachindex(frames)]
    shown = Any[frames[k] for (at, len, _) in groups for k in at:at + len - 1]
    try
        invokelatest(update_stackframes_callback[], shown)
    catch
    end
    print(io, "\nStacktrace:")
    digits, number, next = ndigits(length(frames)), 1, 1
    for (at, len, times) in groups
        for k in 0:len - 1
            print(io, next == 1 || !stacktrace_linebreaks() ? "\n" : "\n\n")
            print_stackframe(io, number + k, shown[next]..., digits)
            next += 1
        end
        number += len * times
        times > 1 && printstyled(io, "\n--- the above ", len, " lines are repeated ", times - 1, " more time", times > 2 ? "s" : "", " ---"; color = :light_black)
    end
    nothing
end
show_backtrace(io::IO, trace) = show_backtrace(io, collect(trace))

# Cycles of frames: where each begins, how many frames it has, and how often they come in a row.
function repeated_groups(frames)
    groups = Tuple{Int, Int, Int}[]
    seen = Dict{Any, Vector{Int}}()
    k = 1
    while k <= length(frames)
        before = get!(() -> Int[], seen, frames[k])
        cycle, times = repetition(frames, k, before)
        push!(before, k)
        # The first round is told frame by frame, if it is no part of an earlier repetition.
        if times == 0 || length(groups) < cycle || groups[end - cycle + 1][1] != k - cycle
            push!(groups, (k, 1, 1))
            k += 1
            continue
        end
        resize!(groups, length(groups) - cycle)
        push!(groups, (k - cycle, cycle, times + 1))
        k += cycle * times
    end
    groups
end
# How long a cycle is that ends before `k` and goes on there, and how often.
function repetition(frames, k, before)
    for at in Iterators.reverse(before)
        cycle = k - at
        cycle > 1 || continue
        same = 0
        while k + same <= length(frames) && frames[k + same] == frames[at + same]
            same += 1
        end
        same >= cycle && return cycle, same ÷ cycle
    end
    0, 0
end

function showerror(io::IO, e, trace; backtrace = true)
    try
        showerror(io, e)
    finally
        backtrace && show_backtrace(io, trace)
    end
    nothing
end
error_color() = :light_red
warn_color() = :yellow
function show_exception_stack(io::IO, stack)
    n = length(stack)
    for k in n:-1:1
        k == n || printstyled(io, "\ncaused by: "; color = error_color())
        exception, trace = stack[k]
        trace === nothing ? showerror(io, exception) : showerror(io, exception, trace)
        k == 1 || println(io)
    end
end
function show(io::IO, ::MIME"text/plain", s::ExceptionStack)
    print(io, length(s), "-element ExceptionStack", isempty(s) ? "" : ":")
    isempty(s) || println(io)
    show_exception_stack(io, s)
end
show(io::IO, s::ExceptionStack) = show(io, MIME("text/plain"), s)
function display_error(io::IO, stack::ExceptionStack)
    printstyled(io, "ERROR: "; bold = true, color = error_color())
    show_exception_stack(IOContext(io, :limit => true), stack)
    println(io)
end
# Evaluates an expression as an interactive session does: what it throws is shown.
function eval_user_input(errio, @nospecialize(ast), show_value::Bool)
    try
        value = Core.eval(Main, ast)
        show_value && value !== nothing && (display(value); println())
    catch
        display_error(errio, current_exceptions())
    end
    nothing
end
display_error(stack::ExceptionStack) = display_error(stderr, stack)
display_error(io::IO, e, trace) = display_error(io, ExceptionStack(Any[(exception = e, backtrace = trace)]))
display_error(e, trace = nothing) = display_error(stderr, e, trace)
