# Texts in Markdown. kiln keeps the source and shows it as it is: the tree of its elements is not implemented.
module Markdown

export @md_str, @doc_str

"""
    Markdown.MD

A text in Markdown.
"""
struct MD
    source::String
    meta::Dict{Symbol, Any}
    MD(source::AbstractString) = new(String(source), Dict{Symbol, Any}())
end
Base.getproperty(m::MD, name::Symbol) = name === :content ?
    throw(Base.UnsupportedError(:content, "kiln has no tree of the elements of a Markdown text")) : getfield(m, name)
Base.:(==)(a::MD, b::MD) = a.source == b.source
Base.hash(m::MD, h::UInt) = hash(m.source, hash(:MD, h))
parse(text::AbstractString; flavor = nothing) = MD(text)
parse(io::IO; flavor = nothing) = MD(read(io, String))
parse_file(path::AbstractString; flavor = nothing) = MD(read(path, String))
macro md_str(text, flags...)
    :(MD($text))
end
macro doc_str(text::AbstractString, flags...)
    :(MD($text))
end
plain(io::IO, m::MD) = print(io, m.source)
plain(m::MD) = m.source
Base.print(io::IO, m::MD) = print(io, m.source)
Base.show(io::IO, ::MIME"text/plain", m::MD) = print(io, m.source)
Base.show(io::IO, ::MIME"text/markdown", m::MD) = print(io, m.source)
Base.show(io::IO, m::MD) = print(io, m.source)
Base.@lacked html latex term htmlesc with_output_color

end
