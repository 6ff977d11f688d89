# Arrays: in one line as text that reads back, and in the long form as aligned columns, cut to the screen where there is a limit.

# One line.
function show(io::IO, a::AbstractArray)
    ndims(a) == 0 && return show_zero_dim(io, a)
    prefix, implicit = typeinfo_prefix(io, a)
    within_type = implicit ? io : IOContext(io, :typeinfo => eltype(a))
    ndims(a) > 1 && isempty(a) ? _show_empty(within_type, a) :
        _show_nonempty(within_type, a, prefix isa String ? prefix : typeinfo_text(io, prefix))
end
@noinline typeinfo_text(io::IO, @nospecialize(T)) = sprint(show_typeinfo, T; context = io)
# Arrays of packages whose elements are elsewhere have methods of their own.
function _show_nonempty(io::IO, a::AbstractArray, prefix::String)
    print(io, prefix, "[")
    show_circular(io, a) || show_slices(isbitstype(eltype(a)) ? io : within(io, a), a, ndims(a), ())
    print(io, "]")
end
function _show_empty(io::IO, a::Array)
    show(io, typeof(a))
    print(io, "(undef, ", join(size(a), ", "), ")")
end
_show_empty(io::IO, a::AbstractArray) = summary(io, a)
const undef_ref_str = "#undef"
show_zero_dim(io, a::BitArray) = print(io, "BitArray(", Int(a[]), ")")
show_zero_dim(io, a::AbstractArray) = is_set(a, 1) ? (print(io, "fill("); show(io, a[]); print(io, ")")) :
    print(io, "Array{", eltype(a), ", 0}(UndefInitializer())")
show_vector(io::IO, v::AbstractVector) = show(io, v)

# The part of an axis that shows: both ends, `k` of each, if the axis is longer than `n` and there is a limit.
shown_ends(io, axis, n, k) =
    get(io, :limit, false)::Bool && length(axis) > n ? (axis[begin:(begin + k - 1)], axis[(end - k + 1):end]) : (axis, first(axis):(first(axis) - 1))
# The outermost dimension that is still open, and those below it; the separator of dimension `d` is that many semicolons.
function show_slices(io, a, d, outer)
    if d == 1
        show_line(io, a, axes(a, 1), 20, 10, ", ", "  …  ", i -> (i,))
    elseif d == 2
        heads, tails = shown_ends(io, unitrange_of(axes(a, 1)), 4, 2)
        for (k, i) in enumerate(heads)
            k > 1 && print(io, "; ")
            show_line(io, a, unitrange_of(axes(a, 2)), 4, 2, " ", " … ", j -> (i, j, outer...))
        end
        isempty(tails) || print(io, "; … ")
        for i in tails
            print(io, "; ")
            show_line(io, a, unitrange_of(axes(a, 2)), 4, 2, " ", " … ", j -> (i, j, outer...))
        end
        size(a, 2) == 1 && ndims(a) == 2 && print(io, ";;")
    else
        heads, tails = shown_ends(io, unitrange_of(axes(a, d)), 10, 3)
        for k in heads
            k > first(heads) && print(io, ";"^d, " ")
            show_slices(io, a, d - 1, (k, outer...))
        end
        isempty(tails) || print(io, ";"^d, " … ")
        for k in tails
            print(io, ";"^d, " ")
            show_slices(io, a, d - 1, (k, outer...))
        end
        size(a, d) == 1 && d == ndims(a) && print(io, ";"^d)
    end
    nothing
end
unitrange_of(r) = first(r):last(r)
function show_line(io, a, axis, n, k, separator, dots, index)
    heads, tails = shown_ends(io, unitrange_of(axis), n, k)
    for (part, first_separator) in ((heads, ""), (tails, dots))
        between = first_separator
        for i in part
            isempty(between) || print(io, between)
            show_element(io, a, index(i)...)
            between = separator
        end
    end
end

# The long form.
function show(io::IO, ::MIME"text/plain", a::AbstractArray)
    isempty(a) && (get(io, :compact, false)::Bool || a isa Vector) && return show(io, a)
    summary(io, a)
    isempty(a) && return nothing
    print(io, ":")
    show_circular(io, a) && return nothing
    !haskey(io, :compact) && length(axes(a, 2)) > 1 && (io = IOContext(io, :compact => true))
    # Methods show all.
    eltype(a) === Method && (io = IOContext(io, :limit => false))
    get(io, :limit, false)::Bool && displaysize(io)[1] <= 4 && return print(io, " …")
    println(io)
    print_array(within(IOContext(io, :typeinfo => eltype(a)), a), a)
end
print_array(io::IO, a::AbstractArray{<:Any, 0}) = is_set(a, 1) ? show(io, a[]) : print(io, "#undef")
print_array(io::IO, a::AbstractVecOrMat) = print_matrix(io, a)
function print_array(io::IO, a::AbstractArray)
    isempty(a) && return nothing
    tails = axes(a)[3:end]
    limited = get(io, :limit, false)::Bool
    started = false
    for K in CartesianIndices(tails)
        k = Tuple(K)
        if limited && (d = findfirst(d -> is_left_out(tails[d], k[d]), eachindex(tails))) !== nothing
            # The first slice that is left out stands for its dimension.
            marks_gap(tails, k, d) && print(io, started ? "\n\n" : "", ";"^(d + 2), " … ")
            continue
        end
        print(io, started ? "\n\n" : "", "[:, :, ", join(k, ", "), "] =\n")
        started = true
        print_matrix(io, view(a, axes(a, 1), axes(a, 2), k...))
    end
end
is_left_out(axis, i) = length(axis) > 10 && first(axis) + 3 <= i <= last(axis) - 3
marks_gap(tails, k, d) = k[d] == first(tails[d]) + 3 && all(e -> k[e] == first(tails[e]), 1:(d - 1)) &&
    !any(e -> is_left_out(tails[e], k[e]), (d + 1):length(tails))

# How many columns a value takes left and right of the place where its column is aligned.
plain_context(io) = IOContext(io, :color => false)
shown_width(io, x) = textwidth(sprint_with(show, plain_context(io), x))
alignment(io::IO, x) = (0, shown_width(io, x))
alignment(io::IO, x::Number) = (shown_width(io, x), 0)
alignment(io::IO, x::Integer) = (shown_width(io, x), 0)
function alignment(io::IO, x::Real)
    s = sprint_with(show, plain_context(io), x)
    i = findfirst(c -> c in ".eEfF", s)
    split_width(s, i === nothing ? ncodeunits(s) + 1 : i)
end
split_width(s, i) = (textwidth(SubString(s, 1, prevind(s, i))), textwidth(SubString(s, i)))
function alignment(io::IO, x::Rational)
    s = sprint_with(show, plain_context(io), x)
    i = findfirst('/', s)
    split_width(s, i === nothing ? ncodeunits(s) + 1 : i + 1)
end
# The sign of the imaginary part is the last that is not of an exponent.
function alignment(io::IO, x::Complex)
    s = sprint_with(show, plain_context(io), x)
    i = lastindex(s)
    while i > 1 && !(s[i] in "+-" && !(s[prevind(s, i)] in "ef"))
        i = prevind(s, i)
    end
    split_width(s, i == 1 ? ncodeunits(s) + 1 : i + 1)
end
function alignment(io::IO, p::Pair)
    all_of_it = shown_width(io, p)
    isdelimited(io, p) && return (0, all_of_it)
    side = IOContext(io, :typeinfo => pair_typeinfo(io, p, 1))
    left = shown_width(side, p.first) + (isdelimited(side, p.first) ? 0 : 2) + (get(io, :compact, false)::Bool ? 1 : 2)
    (left, all_of_it - left)
end

# A cell's text and alignment; a text with several lines gives way to the short form.
struct MatrixCell
    text::String
    left::Int
    right::Int
end
is_cell_set(a::Array, i, j) = ndims(a) == 1 ? is_set(a, i) : is_set(a, i, j)
function is_cell_set(a, i, j)
    isbitstype(eltype(a)) && return true
    try
        a[i, j]
    catch e
        e isa UndefRefError && return false
        rethrow()
    end
    true
end
function matrix_cell(io, a, i, j)
    is_cell_set(a, i, j) || return MatrixCell("#undef", 3, 3)
    x = a[i, j]
    left, right = alignment(io, x)
    s = sprint_with(show, io, MIME("text/plain"), x)
    '\n' in s && (s = sprint_with(show, io, x))
    MatrixCell(replace_in_print_matrix(a, i, j, s), left, right)
end
# A column of cells with its own alignment.
struct MatrixColumn
    cells::Vector{MatrixCell}
    left::Int
    right::Int
    last::Bool
end
function matrix_column(io, a, rows, j, last)
    cells = MatrixCell[matrix_cell(io, a, i, j) for i in rows]
    MatrixColumn(cells, maximum(c -> c.left, cells; init = 0), maximum(c -> c.right, cells; init = 0), last)
end
width_of(c::MatrixColumn) = c.left + c.right
# As many columns as fit into the width, at least one.
function fitting_columns(next_column, order, room, separator, all_columns)
    columns = MatrixColumn[]
    used = 0
    for j in order
        c = next_column(j)
        push!(columns, c)
        used += width_of(c) + separator
        if length(columns) > 1 && used >= room
            pop!(columns)
            used -= width_of(c) + separator
            break
        end
    end
    while 1 < length(columns) < all_columns && used >= room
        used -= width_of(pop!(columns)) + separator
    end
    columns
end

# The rows and columns that fit, with dots for the others. `pre` stands before the first row, `post` behind the last.
function print_matrix(io::IO, a::AbstractVecOrMat, pre::AbstractString = " ", sep::AbstractString = "  ", post::AbstractString = "",
        hdots::AbstractString = "  …  ", vdots::AbstractString = "⋮", ddots::AbstractString = "  ⋱  ", hmod::Integer = 5, vmod::Integer = 5)
    rows, cols = unitrange_of(axes(a, 1)), unitrange_of(axes(a, 2))
    limited = get(io, :limit, false)::Bool
    height = limited ? displaysize(io)[1] - 4 : typemax(Int)
    width = limited ? displaysize(io)[2] - length(pre) - length(post) : typemax(Int)
    half = div(height, 2)
    picked = length(rows) > height ? [rows[1:half]; rows[(end - div(height - 1, 2) + 1):end]] : collect(rows)
    made = Dict{Int, MatrixColumn}()
    column(j) = get!(() -> matrix_column(io, a, picked, j, j == last(cols)), made, j)
    left = fitting_columns(column, cols, width, length(sep), length(cols))
    right = MatrixColumn[]
    if length(left) < length(cols)
        room = div(width - length(hdots) + 1, 2) + 1
        right = reverse(fitting_columns(column, reverse(cols), room, length(sep), length(cols)))
        room = width - sum(width_of, right) - (length(right) - 1) * length(sep) - length(hdots)
        left = fitting_columns(column, cols, room, length(sep), length(cols))
    end
    n = length(picked)
    for k in 1:n
        print(io, k == 1 ? pre : " "^length(pre))
        print_row(io, left, k, sep)
        if !isempty(right)
            print(io, mod(picked[k] - first(rows), hmod) == 0 ? hdots : " "^length(hdots))
            print_row(io, right, k, sep)
        end
        print(io, k == n ? post : "")
        k < n && println(io)
        if length(rows) > height && k == half
            k == n && println(io)
            print(io, " "^length(pre))
            print_dots(io, left, vdots, sep, vmod, 1, !isempty(right))
            if !isempty(right)
                print(io, ddots)
                print_dots(io, right, vdots, sep, vmod, mod(length(right) - length(cols) + 1, vmod), false)
            end
            k < n && println(io)
        end
    end
    n == 0 && print(io, pre, vdots, length(cols) > 1 ? string("    ", ddots) : "", post)
    nothing
end
function print_row(io, columns, k, sep)
    for (n, c) in enumerate(columns)
        cell = c.cells[k]
        n > 1 && print(io, sep)
        print(io, " "^(c.left - cell.left), cell.text, c.last ? "" : " "^(c.right - cell.right))
    end
end
function print_dots(io, columns, vdots, sep, every, phase, pad)
    for (k, c) in enumerate(columns)
        k > 1 && print(io, sep)
        width = width_of(c)
        padded = pad || k < length(columns)
        if k % every == phase
            before = max(0, c.left - length(vdots))
            print(io, " "^before, vdots, padded ? " "^max(0, width - length(vdots) - before) : "")
        elseif padded
            print(io, " "^width)
        end
    end
end
