# Text between encodings: UTF-8 as bytes, UTF-16, and code points of 32 bits.

transcode(::Type{T}, src::AbstractVector{T}) where {T <: Union{UInt8, UInt16, UInt32, Int32}} = src
transcode(::Type{T}, src::String) where {T <: Union{Int32, UInt32}} = T[T(c) for c in src]
transcode(::Type{T}, src::AbstractVector{UInt8}) where {T <: Union{Int32, UInt32}} = transcode(T, String(Vector(src)))
transcode(::Type{T}, src::CodeUnits{UInt8, String}) where {T <: Union{Int32, UInt32}} = transcode(T, String(src))
transcode(::Type{UInt8}, src::Vector{<:Union{Int32, UInt32}}) = Vector{UInt8}(transcode(String, src))
transcode(::Type{String}, src::String) = src
transcode(T, src::String) = transcode(T, codeunits(src))
transcode(::Type{String}, src::AbstractVector{UInt8}) = String(copy(Vector{UInt8}(src)))
transcode(::Type{String}, src::CodeUnits{UInt8, String}) = src.s
transcode(::Type{String}, src::Vector{<:Union{Int32, UInt32}}) = sprint_chars(Char(UInt32(u)) for u in src)
transcode(::Type{String}, src) = String(transcode(UInt8, src))
transcode(::Type{UInt16}, src::Vector{<:Union{Int32, UInt32}}) = transcode(UInt16, transcode(UInt8, src))
transcode(::Type{T}, src::AbstractVector{UInt16}) where {T <: Union{Int32, UInt32}} = transcode(T, transcode(UInt8, src))
function transcode(::Type{UInt16}, src::AbstractVector{UInt8})
    out = UInt16[]
    for c in String(copy(Vector{UInt8}(src)))
        # Bytes that encode no code point go over one by one; a code point may be encoded in more bytes than it needs.
        u = ismalformed(c) ? typemax(UInt32) : isoverlong(c) ? decode_overlong(c) : UInt32(c)
        if u > 0x10ffff
            for i in 1:ncodeunits(c)
                push!(out, codeunit(c, i))
            end
        elseif u <= 0xffff
            push!(out, u % UInt16)
        else
            u -= 0x10000
            push!(out, 0xd800 | (u >> 10) % UInt16, 0xdc00 | (u & 0x3ff) % UInt16)
        end
    end
    out
end
function transcode(::Type{UInt8}, src::AbstractVector{UInt16})
    io = IOBuffer()
    i, n = firstindex(src), lastindex(src)
    while i <= n
        u = src[i]
        if u & 0xfc00 == 0xd800 && i < n && src[i + 1] & 0xfc00 == 0xdc00
            write(io, Char(0x10000 + ((UInt32(u) & 0x3ff) << 10 | UInt32(src[i + 1]) & 0x3ff)))
            i += 2
        else
            write(io, Char(UInt32(u)))
            i += 1
        end
    end
    take!(io)
end
