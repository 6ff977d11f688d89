# Ranges as text: short as they are written, long as one row of elements that fits the screen.
export logrange

show(io::IO, r::AbstractRange) = print(io, repr(first(r)), ":", repr(step(r)), ":", repr(last(r)))
show(io::IO, r::UnitRange) = print(io, repr(first(r)), ":", repr(last(r)))
show(io::IO, r::IdentityUnitRange) = print(io, "Base.IdentityUnitRange(", r.indices, ")")
show(io::IO, r::OneTo) = print(io, "Base.OneTo(", r.stop, ")")
# A colon cannot tell a range whose elements are all one.
show(io::IO, r::StepRangeLen) = iszero(step(r)) ?
    print(io, "StepRangeLen(", repr(first(r)), ", ", repr(step(r)), ", ", repr(length(r)), ")") :
    print(io, repr(first(r)), ":", repr(step(r)), ":", repr(last(r)))
show(io::IO, r::StepRangeLen{<:CartesianIndex}) = print(io, "StepRangeLen(", first(r), ", ", step(r), ", ", length(r), ")")
show(io::IO, r::LinRange) = show_range_call(io, "LinRange{", r)
show(io::IO, r::LogRange) = show_range_call(io, "LogRange{", r)
function show_range_call(io::IO, name, r)
    print(io, name, eltype(r), "}(")
    elements = IOContext(io, :typeinfo => eltype(r))
    show(elements, first(r))
    print(io, ", ")
    show(elements, last(r))
    print(io, ", ", length(r), ")")
end

show(io::IO, ::MIME"text/plain", r::AbstractRange) = show(io, r)
show(io::IO, ::MIME"text/plain", r::LinRange) = show_elements(io, r, ", …, ")
show(io::IO, ::MIME"text/plain", r::LogRange) = show_elements(io, r, " … ")
function show_elements(io::IO, r, dots)
    isempty(r) && return show(io, r)
    summary(io, r)
    println(io, ":")
    print_range(io, r, " ", ", ", "", dots)
end
# One row: all elements if they fit, else as many of both ends as leave room for the dots.
function print_range(io::IO, r::AbstractArray, pre::AbstractString = " ", sep::AbstractString = ", ", post::AbstractString = "",
        dots::AbstractString = ", …, ")
    elements = IOContext(io, :compact => get(io, :compact, true), :typeinfo => eltype(r))
    width = displaysize(io)[2] - length(pre) - length(post)
    text(i) = sprint(show, r[i]; context = elements)
    n = length(r)
    row = texts_within(text, 1:n, width, length(sep))
    if length(row) == n
        print(io, pre, join(row, sep), post)
        return nothing
    end
    right = reverse(texts_within(text, n:-1:1, div(width - length(dots) + 1, 2) + 1, length(sep)))
    left = texts_within(text, 1:n, width - sum(textwidth, right) - (length(right) - 1) * length(sep) - length(dots), length(sep))
    print(io, pre, join(left, sep), dots, join(right, sep), post)
    nothing
end
function texts_within(text, places, width, sep)
    out = String[]
    used = 0
    for i in places
        s = text(i)
        used += textwidth(s) + sep
        used >= width && !isempty(out) && break
        push!(out, s)
    end
    out
end
