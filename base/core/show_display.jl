# The long form: `display`, and `show` for text/plain, with summaries, aligned columns and one entry a line.

show(io::IO, ::MIME"text/plain", x) = show(io, x)
show(io::IO, m::AbstractString, x) = show(io, MIME(m), x)
show(io::IO, ::MIME"text/plain", r::Union{UnitRange, StepRange, StepRangeLen, OneTo}) = show(io, r)
function show(io::IO, ::MIME"text/plain", f::Function)
    n = length(Host.methods_list(f))
    show_function(io, f)
    f isa Builtin && return print(io, " (built-in function)")
    print(io, " (generic function with ", n, n == 1 ? " method)" : " methods)")
end
function show(io::IO, ::MIME"text/plain", c::AbstractChar)
    show(io, c)
    get(io, :compact, false)::Bool && return nothing
    if ismalformed(c)
        print(io, ": Malformed UTF-8")
    else
        print(io, ": ", isoverlong(c) ? "[overlong] " : "", isascii(c) ? "ASCII/" : "", "Unicode U+",
            uppercase(string(isoverlong(c) ? decode_overlong(c) : UInt32(c), base = 16, pad = 4)))
    end
    print(io, " (category ", category_abbrev(c), ": ", category_string(c), ")")
end
function show(io::IO, ::MIME"text/plain", a::AbstractArray)
    if isempty(a) && (get(io, :compact, false) || a isa Vector)
        return show(io, a)
    end
    summary(io, a)
    isempty(a) && return nothing
    println(io, ":")
    ndims(a) > 1 && !haskey(io, :compact) && size(a, 2) > 1 && (io = IOContext(io, :compact => true))
    show_circular(io, a) || print_array(within(IOContext(io, :typeinfo => eltype(a)), a), a)
end

# Text of a cell, and how much of it stands left of the point where the column is aligned.
function cell(io, a, I...)
    is_set(a, I...) || return ("#undef", 0)
    x = a[I...]
    s = sprint_with(show, io, x)
    (s, left_part(x, s))
end
left_part(x, s) = 0
left_part(x::Number, s) = textwidth(s)
function left_part(x::AbstractFloat, s)
    i = findfirst(c -> c in ('.', 'e', 'E', 'f', 'F'), s)
    i === nothing || !isfinite(x) ? textwidth(s) : i - 1
end
left_part(x::Rational, s) = (i = findfirst('/', s); i === nothing ? textwidth(s) : i - 1)
function left_part(x::Complex, s)
    from = nextind(s, 1)
    i = findnext(c -> c in ('+', '-'), s, from)
    while i !== nothing && i > 1 && s[prevind(s, i)] in ('e', 'f')
        i = findnext(c -> c in ('+', '-'), s, nextind(s, i))
    end
    i === nothing ? textwidth(s) : i - 1
end
left_part(x::Pair, s) = (i = findfirst("=>", s); i === nothing ? 0 : first(i) - 1)

print_array(io, a::AbstractArray{T, 0}) where {T} = (print(io, " "); is_set(a, 1) ? show(io, a[]) : print(io, "#undef"))
print_array(io, a::AbstractVector) = print_matrix(io, a, (i, j) -> (i,), axes(a, 1), 1:1)
print_array(io, a::AbstractMatrix) = print_matrix(io, a, (i, j) -> (i, j), axes(a, 1), axes(a, 2))
function print_array(io, a::AbstractArray)
    outer = CartesianIndices(axes(a)[3:end])
    started = false
    for K in outer
        started && print(io, "\n\n")
        started = true
        print(io, "[:, :, ", join(Tuple(K), ", "), "] =\n")
        print_matrix(io, a, (i, j) -> (i, j, Tuple(K)...), axes(a, 1), axes(a, 2))
    end
end
# Rows or columns that are shown where there is a limit: as many as the screen holds, those in the middle left out.
function shown(range, room)
    n = length(range)
    n <= room && return (collect(range), 0)
    head = cld(room - 1, 2)
    tail = room - 1 - head
    (vcat(range[1:head], range[(n - tail + 1):n]), head)
end
function print_matrix(io, a, index, rows, columns)
    limited = get(io, :limit, false)
    height, width = displaysize(io)
    picked, gap = limited ? shown(rows, max(height - 4, 2)) : (collect(rows), 0)
    texts = Vector{Vector{String}}()
    total = 0
    cut = false
    for j in columns
        cells = [cell(io, a, index(i, j)...) for i in picked]
        left = maximum(c -> c[2], cells; init = 0)
        right = maximum(c -> textwidth(c[1]) - c[2], cells; init = 0)
        column = String[string(" "^(left - c[2]), c[1], " "^(right - textwidth(c[1]) + c[2])) for c in cells]
        total += left + right + 2
        if limited && total > width && !isempty(texts)
            cut = true
            break
        end
        push!(texts, column)
    end
    for k in 1:length(picked)
        k > 1 && println(io)
        if gap > 0 && k == gap + 1
            println(io, " ", join([rpad("⋮", textwidth(t[1])) for t in texts], "  "))
        end
        print(io, " ")
        for j in 1:length(texts)
            j > 1 && print(io, "  ")
            text = texts[j][k]
            print(io, j == length(texts) && !cut ? String(rstrip(text)) : text)
        end
        cut && print(io, "  …")
    end
    nothing
end

# The parts of an object, down to a depth.
function dump(io::IO, x; maxdepth::Integer = 8)
    dump_indented(io, x, maxdepth, "")
    println(io)
end
dump(x; kws...) = dump(stdout, x; kws...)
function dump_indented(io, x, depth, indent)
    T = typeof(x)
    if x isa Union{Number, AbstractString, Symbol, Nothing, Char} && !(x isa Complex)
        print(io, T, " ")
        show(io, x)
    elseif x isa AbstractArray
        print(io, T, "(", size(x), ") ")
        show(io, x)
    elseif x isa Function || x isa Module || x isa Type
        print(io, x isa Type ? string(x, " <: ", supertype(x)) : string(x, " (function of type ", T, ")"))
    else
        print(io, T, nfields(x) == 0 ? "()" : " ")
        depth > 0 || return nothing
        for i in 1:nfields(x)
            print(io, "\n", indent, "  ", fieldname(T, i), ": ")
            isdefined(x, i) ? dump_indented(io, getfield(x, i), depth - 1, string(indent, "  ")) : print(io, "#undef")
        end
    end
    nothing
end

repr(m::MIME, x; context = nothing) = sprint_with(show, context, m, x)
repr(m::AbstractString, x; context = nothing) = repr(MIME(m), x; context = context)

# Which forms there are of a value.
showable(::MIME{mime}, @nospecialize(x)) where {mime} = hasmethod(show, Tuple{IO, MIME{mime}, typeof(x)})
showable(m::AbstractString, @nospecialize(x)) = showable(MIME(m), x)
