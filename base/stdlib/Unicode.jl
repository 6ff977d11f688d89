# Characters and strings as Unicode sees them.
module Unicode

export graphemes, isassigned

isassigned(c) = !Base.ismalformed(c) && Base.isassigned_char(c)

# The characters of a text as a reader tells them apart.
struct GraphemeIterator{S <: AbstractString}
    s::S
end
graphemes(s::AbstractString) = GraphemeIterator{typeof(s)}(s)
Base.eltype(::Type{GraphemeIterator{S}}) where {S} = SubString{S}
Base.eltype(::Type{GraphemeIterator{SubString{S}}}) where {S} = SubString{S}
Base.IteratorSize(::Type{<:GraphemeIterator}) = Base.SizeUnknown()
Base.length(g::GraphemeIterator) = count(_ -> true, g)
function Base.iterate(g::GraphemeIterator, i::Int = firstindex(g.s))
    i > ncodeunits(g.s) && return nothing
    state = Base.GraphemeState()
    k = i
    while true
        n = nextind(g.s, k)
        (n > ncodeunits(g.s) || Base.is_grapheme_break(state, g.s[k], g.s[n])) && return (SubString(g.s, i, k), n)
        k = n
    end
end
Base.:(==)(a::GraphemeIterator, b::GraphemeIterator) = a.s == b.s
Base.hash(g::GraphemeIterator, h::UInt) = hash(g.s, h)
Base.show(io::IO, g::GraphemeIterator) = print(io, "length-", length(g), " GraphemeIterator{", typeof(g.s), "} for \"", g.s, "\"")
end
