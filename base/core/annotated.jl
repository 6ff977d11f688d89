# Text with annotations: labelled values on ranges of code units, which follow the text through what is done with it.

const RegionAnnotation = @NamedTuple{region::UnitRange{Int}, label::Symbol, value}
const Annotation = @NamedTuple{label::Symbol, value}
region_annotation(a::RegionAnnotation) = a
region_annotation((region, label, value)) = RegionAnnotation((region, label, value))
annotation(a::Annotation) = a
annotation((label, value)) = Annotation((label, value))
# The same annotation elsewhere.
at_region(a, region) = RegionAnnotation((region, a.label, a.value))
shifted(a::RegionAnnotation, by::Integer) = at_region(a, a.region .+ Int(by))

# The annotations of a string are in the order in which they were made: later ones count more.
struct AnnotatedString{S <: AbstractString} <: AbstractString
    string::S
    annotations::Vector{RegionAnnotation}
    AnnotatedString{S}(s::S, annotations::Vector{RegionAnnotation}) where {S <: AbstractString} = new{S}(s, annotations)
    AnnotatedString{S}(s::S, annotations) where {S <: AbstractString} = new{S}(s, RegionAnnotation[region_annotation(a) for a in annotations])
end
struct AnnotatedChar{C <: AbstractChar} <: AbstractChar
    char::C
    annotations::Vector{Annotation}
    AnnotatedChar{C}(c::C, annotations::Vector{Annotation}) where {C <: AbstractChar} = new{C}(c, annotations)
end
const AnnotatedPart = SubString{<:AnnotatedString}
const AnnotatedText = Union{AnnotatedString, AnnotatedPart}
AnnotatedString(s::S, annotations::Vector{RegionAnnotation}) where {S <: AbstractString} = AnnotatedString{S}(s, annotations)
AnnotatedString(s::AbstractString, annotations) = AnnotatedString(s, RegionAnnotation[region_annotation(a) for a in annotations])
AnnotatedString(s::AnnotatedString, annotations::Vector{RegionAnnotation}) = AnnotatedString(s.string, vcat(s.annotations, annotations))
AnnotatedString(s::AbstractString) = AnnotatedString(s, RegionAnnotation[])
AnnotatedString(s::AnnotatedString) = s
AnnotatedString(s::AnnotatedPart) = annotatedstring(s)
AnnotatedString(chars::AbstractVector{<:AbstractChar}) = annotatedstring(chars...)
AnnotatedChar(c::C, annotations::Vector{Annotation}) where {C <: AbstractChar} = AnnotatedChar{C}(c, annotations)
AnnotatedChar(c::AbstractChar, annotations) = AnnotatedChar(c, Annotation[annotation(a) for a in annotations])
AnnotatedChar(c::AnnotatedChar, annotations::Vector{Annotation}) = AnnotatedChar(c.char, vcat(c.annotations, annotations))
AnnotatedChar(c::AbstractChar) = AnnotatedChar(c, Annotation[])
AnnotatedChar(c::AnnotatedChar) = c
AnnotatedChar(c::UInt32) = AnnotatedChar(Char(c))
AnnotatedChar{C}(c::UInt32) where {C <: AbstractChar} = AnnotatedChar(C(c))
convert(::Type{AnnotatedString}, s::AbstractString) = AnnotatedString(s)
convert(::Type{AnnotatedString{S}}, s::S) where {S <: AbstractString} = AnnotatedString(s)
convert(::Type{AnnotatedChar}, c::AbstractChar) = AnnotatedChar(c)
convert(::Type{AnnotatedChar{C}}, c::C) where {C <: AbstractChar} = AnnotatedChar(c)
promote_rule(::Type{<:AnnotatedString}, ::Type{<:AbstractString}) = AnnotatedString
promote_rule(::Type{<:AbstractString}, ::Type{<:AnnotatedString}) = AnnotatedString
promote_rule(::Type{<:AnnotatedString}, ::Type{<:AnnotatedString}) = AnnotatedString

# The text alone.
unannotated(x) = x
unannotated(s::AnnotatedString) = s.string
unannotated(s::AnnotatedPart) = SubString(s.string.string, 1 + s.offset, thisind(s.string.string, s.offset + s.ncodeunits))
unannotated(c::AnnotatedChar) = c.char
String(s::AnnotatedText) = String(unannotated(s))
ncodeunits(s::AnnotatedString) = ncodeunits(s.string)::Int
codeunits(s::AnnotatedString) = codeunits(s.string)
codeunit(s::AnnotatedString) = codeunit(s.string)
codeunit(s::AnnotatedString, i::Integer) = codeunit(s.string, i)
isvalid(s::AnnotatedString, i::Integer) = isvalid(s.string, i)::Bool
iterate(s::AnnotatedString, i::Integer = firstindex(s)) = i > ncodeunits(s) ? nothing : (s[i], nextind(s, i))
eltype(::Type{<:AnnotatedString{S}}) where {S} = AnnotatedChar{eltype(S)}
function getindex(s::AnnotatedString, i::Int)
    c = s.string[i]
    AnnotatedChar(c, Annotation[(a.label, a.value) for a in s.annotations if i in a.region])
end
ncodeunits(c::AnnotatedChar) = ncodeunits(c.char)
codepoint(c::AnnotatedChar) = codepoint(c.char)
cmp(a::AnnotatedString, b::AbstractString) = cmp(a.string, unannotated(b))
cmp(a::AbstractString, b::AnnotatedString) = cmp(unannotated(a), b.string)
cmp(a::AnnotatedString, b::AnnotatedString) = cmp(a.string, b.string)
# Equal text with equal annotations; other strings have none.
annotated_equal(a, b) = annotations_of(a) == annotations_of(b) && unannotated(a) == unannotated(b)
annotations_of(s::AbstractString) = RegionAnnotation[]
annotations_of(s::AnnotatedText) = annotations(s)
==(a::AnnotatedString, b::AnnotatedString) = annotated_equal(a, b)
==(a::AnnotatedString, b::AbstractString) = annotated_equal(a, b)
==(a::AbstractString, b::AnnotatedString) = annotated_equal(a, b)
==(a::AnnotatedPart, b::AnnotatedPart) = annotated_equal(a, b)
==(a::AnnotatedPart, b::AnnotatedString) = annotated_equal(a, b)
==(a::AnnotatedString, b::AnnotatedPart) = annotated_equal(a, b)
==(a::AnnotatedPart, b::AbstractString) = annotated_equal(a, b)
==(a::AbstractString, b::AnnotatedPart) = annotated_equal(a, b)
function show(io::IO, s::AnnotatedString)
    show(io, typeof(s))
    print(io, "(")
    show(io, s.string)
    print(io, ", ")
    made_of = Tuple{UnitRange{Int}, Symbol, Any}[Tuple(a) for a in s.annotations]
    show(IOContext(io, :typeinfo => typeof(made_of)), made_of)
    print(io, ")")
end
show(io::IO, ::MIME"text/plain", s::AnnotatedString) = show(io, s.string)

# Annotations: all, or those that meet a position or a range, cut to it.
annotations(s::AnnotatedString) = s.annotations
annotations(c::AnnotatedChar) = c.annotations
annotations(s::AnnotatedString, i::Integer) = annotations(s, Int(i):Int(i))
annotations(s::AnnotatedString, range::UnitRange{<:Integer}) =
    RegionAnnotation[at_region(a, intersect(a.region, Int(first(range)):Int(last(range)))) for a in s.annotations if !isempty(intersect(a.region, range))]
annotations(s::AnnotatedPart) = RegionAnnotation[shifted(a, -s.offset) for a in annotations(s.string, (s.offset + 1):(s.offset + s.ncodeunits))]
annotations(s::AnnotatedPart, i::Integer) = annotations(s.string, s.offset + i)
annotations(s::AnnotatedPart, range::UnitRange{<:Integer}) = annotations(s.string, range .+ s.offset)
# A value on a range, by default the whole; `nothing` takes the label away.
annotate!(s::AnnotatedString, range::UnitRange{Int}, label::Symbol, @nospecialize(value)) = (put_annotation!(s.annotations, range, label, value); s)
annotate!(s::AnnotatedString, label::Symbol, @nospecialize(value)) = annotate!(s, firstindex(s):lastindex(s), label, value)
annotate!(s::AnnotatedPart, range::UnitRange{Int}, label::Symbol, @nospecialize(value)) = (annotate!(s.string, range .+ s.offset, label, value); s)
annotate!(s::AnnotatedPart, label::Symbol, @nospecialize(value)) = annotate!(s, 1:s.ncodeunits, label, value)
annotate!(c::AnnotatedChar, label::Symbol, @nospecialize(value)) = (push!(c.annotations, Annotation((label, value))); c)
function put_annotation!(known, region, label, @nospecialize(value))
    value === nothing ? filter!(a -> !(a.region == region && a.label === label), known) : push!(known, RegionAnnotation((region, label, value)))
end

# Text made of others keeps their annotations.
is_annotated(x) = false
is_annotated(::Union{AnnotatedText, AnnotatedChar}) = true
annotatedstring(s::AnnotatedString) = s
function annotatedstring(xs...)
    buf = IOBuffer()
    found = RegionAnnotation[]
    for x in xs
        at = position(buf)
        print(buf, unannotated(x))
        if x isa AnnotatedChar
            append!(found, (at_region(a, (at + 1):(at + 1)) for a in x.annotations))
        elseif x isa AnnotatedText
            append!(found, (shifted(a, at) for a in annotations(x)))
        end
    end
    AnnotatedString(takestring!(buf), found)
end
annotatedstring(c::AnnotatedChar) = repeat(c, 1)
joined_text(a, bs...) = is_annotated(a) || any(is_annotated, bs) ? annotatedstring(a, bs...) : string(a, bs...)
function repeat(s::AnnotatedString, n::Integer)
    text = repeat(s.string, n)
    k = ncodeunits(s)
    # An annotation of the whole text is one of the whole of the copies.
    whole = firstindex(s):lastindex(s)
    if all(a -> a.region == whole, s.annotations)
        return AnnotatedString(text, RegionAnnotation[at_region(a, firstindex(text):lastindex(text)) for a in s.annotations])
    end
    AnnotatedString(text, RegionAnnotation[shifted(a, j * k) for j in 0:(n - 1) for a in s.annotations])
end
repeat(s::AnnotatedPart, n::Integer) = repeat(AnnotatedString(s), n)
function repeat(c::AnnotatedChar, n::Integer)
    text = repeat(c.char, n)
    AnnotatedString(text, RegionAnnotation[at_region(a, firstindex(text):lastindex(text)) for a in c.annotations])
end
function reverse(s::AnnotatedString)
    n = lastindex(s) + 1
    AnnotatedString(reverse(s.string), RegionAnnotation[at_region(a, (n - last(a.region)):(n - first(a.region))) for a in s.annotations])
end
reverse(s::AnnotatedPart) = reverse(AnnotatedString(s))
function join_annotated(itr, delim, last_delim)
    items = collect(Any, itr)
    n = length(items)
    parts = Any[]
    for (k, x) in enumerate(items)
        k > 1 && push!(parts, k == n ? last_delim : delim)
        push!(parts, x)
    end
    annotatedstring(parts...)
end
const AnnotatedItem = Union{AnnotatedString, SubString{<:AnnotatedString}, AnnotatedChar}
join(itr::AbstractArray{<:AnnotatedItem}, delim = "", last_delim = delim) = join_annotated(itr, delim, last_delim)
join(itr::Tuple, delim = "", last_delim = delim) = any(is_annotated, itr) || is_annotated(delim) || is_annotated(last_delim) ?
    join_annotated(itr, delim, last_delim) : sprint(io -> join(io, itr, delim, last_delim))
function lpad(s::Union{AnnotatedText, AnnotatedChar}, n::Integer, p::Union{AbstractChar, AbstractString} = ' ')
    k = Int(n) - textwidth(s)
    k <= 0 ? annotatedstring(s) : annotatedstring(padding(p, k), s)
end
function rpad(s::Union{AnnotatedText, AnnotatedChar}, n::Integer, p::Union{AbstractChar, AbstractString} = ' ')
    k = Int(n) - textwidth(s)
    k <= 0 ? annotatedstring(s) : annotatedstring(s, padding(p, k))
end

# Each character by another: regions move with the code units. The state goes from one character to the next.
function annotated_chartransform(f::Function, s::AnnotatedString, state = nothing)
    out = IOBuffer()
    # For every code unit of the old text, how far its character's end has moved.
    moved = zeros(Int, ncodeunits(s) + 1)
    at = 0
    for c in s.string
        new = f(c, state)
        if new isa Tuple
            new, state = new
        end
        write(out, new)
        n = ncodeunits(c)
        by = position(out) - (at + n)
        before = at == 0 ? 0 : moved[at]
        for k in 1:n
            moved[at + k] = k == n ? by : before
        end
        at += n
    end
    start_of(i) = i + (i <= 1 ? 0 : moved[i - 1])
    stop_of(i) = i + (i < 1 ? 0 : moved[min(i, at)])
    AnnotatedString(takestring!(out), RegionAnnotation[at_region(a, start_of(first(a.region)):stop_of(last(a.region))) for a in s.annotations])
end
for f in (:lowercase, :uppercase, :titlecase)
    @eval $f(c::AnnotatedChar) = AnnotatedChar($f(c.char), c.annotations)
    f === :titlecase || @eval $f(s::AnnotatedText) = annotated_chartransform((c, _) -> $f(c), AnnotatedString(s))
end
titlecase(s::AnnotatedText; wordsep::Function = !isletter, strict::Bool = true) =
    annotated_chartransform(AnnotatedString(s), true) do c, starts
        wordsep(c) ? (c, true) : starts ? (titlecase(c), false) : (strict ? lowercase(c) : c, false)
    end
for (f, change) in ((:uppercasefirst, :titlecase), (:lowercasefirst, :lowercase))
    @eval $f(s::AnnotatedText) = annotated_chartransform((c, is_first) -> (is_first ? $change(c) : c, false), AnnotatedString(s), true)
end
function match(r::Regex, s::AnnotatedText, from::Integer = 1)
    whole = AnnotatedString(s)
    m = match(r, String(whole), from)
    m === nothing && return nothing
    part(x) = x === nothing ? nothing : SubString(whole, x.offset + 1, thisind(whole, x.offset + x.ncodeunits))
    captures = Union{Nothing, SubString{typeof(whole)}}[part(x) for x in m.captures]
    RegexMatch{typeof(whole)}(part(m.match), captures, m.offset, m.offsets, r)
end
eachmatch(r::Regex, s::AnnotatedText; overlap::Bool = false) = RegexMatchIterator(r, AnnotatedString(s), overlap)
eltype(::Type{RegexMatchIterator{S}}) where {S <: AnnotatedString} = RegexMatch{S}

# The longest parts with the same annotations, one after the other.
struct RegionIterator{S <: AbstractString}
    str::S
    regions::Vector{UnitRange{Int}}
    annotations::Vector{Vector{Annotation}}
end
length(r::RegionIterator) = length(r.regions)
eltype(::Type{RegionIterator{S}}) where {S} = Tuple{SubString{S}, Vector{Annotation}}
iterate(r::RegionIterator, k::Integer = 1) = k > length(r) ? nothing : ((SubString(r.str, r.regions[k]), r.annotations[k]), k + 1)
function eachregion(s::AnnotatedString, range::UnitRange{Int} = firstindex(s):lastindex(s))
    regions, found = UnitRange{Int}[], Vector{Annotation}[]
    isempty(range) && return RegionIterator(s.string, regions, found)
    stop = nextind(s, thisind(s, last(range)))
    starts = Int[thisind(s, first(range)), stop]
    for a in s.annotations
        at = intersect(a.region, range)
        isempty(at) || push!(starts, thisind(s, first(at)), nextind(s, thisind(s, last(at))))
    end
    unique!(sort!(starts))
    for k in 1:(length(starts) - 1)
        starts[k] >= stop && break
        push!(regions, starts[k]:prevind(s, starts[k + 1]))
        push!(found, Annotation[(a.label, a.value) for a in s.annotations if starts[k] in a.region])
    end
    RegionIterator(s.string, regions, found)
end
eachregion(s::AnnotatedPart, range::UnitRange{Int} = firstindex(s):lastindex(s)) = eachregion(s.string, range .+ s.offset)

# A buffer that keeps annotations beside the bytes.
struct AnnotatedIOBuffer <: AbstractPipe
    io::IOBuffer
    annotations::Vector{RegionAnnotation}
end
AnnotatedIOBuffer(io::IOBuffer = IOBuffer()) = AnnotatedIOBuffer(io, RegionAnnotation[])
pipe_reader(io::AnnotatedIOBuffer) = io.io
pipe_writer(io::AnnotatedIOBuffer) = io.io
position(io::AnnotatedIOBuffer) = position(io.io)
seek(io::AnnotatedIOBuffer, n::Integer) = (seek(io.io, n); io)
seekstart(io::AnnotatedIOBuffer) = seek(io, 0)
seekend(io::AnnotatedIOBuffer) = (seekend(io.io); io)
skip(io::AnnotatedIOBuffer, n::Integer) = (skip(io.io, n); io)
copy(io::AnnotatedIOBuffer) = AnnotatedIOBuffer(copy(io.io), copy(io.annotations))
annotations(io::AnnotatedIOBuffer) = io.annotations
annotate!(io::AnnotatedIOBuffer, range::UnitRange{Int}, label::Symbol, @nospecialize(value)) = (put_annotation!(io.annotations, range, label, value); io)
function show(io::IO, b::AnnotatedIOBuffer)
    bytes, n = filesize(b.io), length(b.annotations)
    print(io, AnnotatedIOBuffer, "(", bytes, " byte", bytes == 1 ? "" : "s", ", ", n, " annotation", n == 1 ? "" : "s", ")")
end
function truncate(io::AnnotatedIOBuffer, n::Integer)
    truncate(io.io, n)
    filter!(a -> first(a.region) <= n, io.annotations)
    map!(a -> at_region(a, first(a.region):min(Int(n), last(a.region))), io.annotations, io.annotations)
    io
end
# Text that is written over takes its annotations with it; of those that reach further the ends stay.
function clear_annotations!(known::Vector{RegionAnnotation}, span::UnitRange{Int})
    kept = RegionAnnotation[]
    for a in known
        if isempty(intersect(a.region, span))
            push!(kept, a)
            continue
        end
        first(a.region) < first(span) && push!(kept, at_region(a, first(a.region):(first(span) - 1)))
        last(a.region) > last(span) && push!(kept, at_region(a, (last(span) + 1):last(a.region)))
    end
    copy!(known, kept)
end
# Adds annotations behind `offset`. Where the latest of the buffer end there and are the first that come, they go on instead:
# text that is written by characters has no more annotations than text that is written at once.
function add_annotations!(known::Vector{RegionAnnotation}, new::Vector{RegionAnnotation}, offset::Int)
    continues(old, a) = last(old.region) == offset && first(a.region) == 1 && old.label === a.label && old.value == a.value
    run = 0
    for n in min(length(new), length(known)):-1:1
        if all(k -> continues(known[end - n + k], new[k]), 1:n)
            run = n
            break
        end
    end
    base = length(known) - run
    for k in 1:run
        known[base + k] = at_region(known[base + k], first(known[base + k].region):(last(new[k].region) + offset))
    end
    append!(known, (shifted(a, offset) for a in view(new, (run + 1):length(new))))
end
function write_annotated(io::AnnotatedIOBuffer, text::AnnotatedText)
    s = AnnotatedString(text)
    offset = position(io.io)
    eof(io.io) || clear_annotations!(io.annotations, (offset + 1):(offset + ncodeunits(s)))
    add_annotations!(io.annotations, s.annotations, offset)
    write(io.io, String(s))
end
write_annotated(io::AnnotatedIOBuffer, c::AnnotatedChar) = write_annotated(io, annotatedstring(c))
write(io::AnnotatedIOBuffer, s::AbstractString) = write(io.io, s)::Int
write(io::AnnotatedIOBuffer, s::String) = write(io.io, s)
write(io::AnnotatedIOBuffer, s::SubString{String}) = write(io.io, s)
write(io::AnnotatedIOBuffer, b::UInt8) = write(io.io, b)
function write(to::AnnotatedIOBuffer, from::AnnotatedIOBuffer)
    offset, start = position(to.io), position(from.io)
    appends = eof(to.io)
    n = write(to.io, from.io)
    appends || clear_annotations!(to.annotations, (offset + 1):(offset + n))
    moved = RegionAnnotation[at_region(a, max(1, first(a.region) - start):(last(a.region) - start)) for a in from.annotations if last(a.region) > start]
    add_annotations!(to.annotations, moved, offset)
    n
end
# Other streams get the text.
for T in (AnnotatedString, AnnotatedPart, AnnotatedChar)
    @eval write(io::IO, x::$T) = write(io, unannotated(x))::Int
    @eval write(io::AnnotatedIOBuffer, x::$T) = write_annotated(io, x)::Int
    @eval write(io::IOContext, x::$T) = (io.io isa AnnotatedIOBuffer ? write_annotated(io.io, x) : write(io.io, unannotated(x)))::Int
end
print(io::IO, x::Union{AnnotatedText, AnnotatedChar}) = (write(io, x); nothing)
function read(io::AnnotatedIOBuffer, ::Type{AnnotatedString{T}}) where {T <: AbstractString}
    start = position(io.io)
    found = RegionAnnotation[at_region(a, max(1, first(a.region) - start):(last(a.region) - start)) for a in io.annotations if last(a.region) > start]
    AnnotatedString(read(io.io, T), found)
end
read(io::AnnotatedIOBuffer, ::Type{AnnotatedString}) = read(io, AnnotatedString{String})
read(io::AnnotatedIOBuffer, ::Type{AnnotatedString{AbstractString}}) = read(io, AnnotatedString{String})
function read(io::AnnotatedIOBuffer, ::Type{AnnotatedChar{T}}) where {T <: AbstractChar}
    at = position(io.io) + 1
    c = read(io.io, T)
    AnnotatedChar(c, Annotation[(a.label, a.value) for a in io.annotations if at in a.region])
end
read(io::AnnotatedIOBuffer, ::Type{AnnotatedChar}) = read(io, AnnotatedChar{Char})
read(io::AnnotatedIOBuffer, ::Type{AnnotatedChar{AbstractChar}}) = read(io, AnnotatedChar{Char})
