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
# A lead byte and as many continuations as it asks for make a number, however it was to be written; other bytes go over one by one.
function transcode(::Type{UInt16}, src::AbstractVector{UInt8})
    out = UInt16[]
    i, n = firstindex(src), lastindex(src)
    while i <= n
        lead = src[i]
        more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf8 ? 3 : 0
        u = UInt32(lead) & (0x0000007f >> (more + (more > 0)))
        k = 0
        while k < more && i + k < n && src[i + k + 1] & 0xc0 == 0x80
            k += 1
            u = u << 6 | UInt32(src[i + k]) & 0x3f
        end
        if k < more || u > 0x10ffff || (lead >= 0x80 && more == 0)
            push!(out, UInt16(lead))
            i += 1
            continue
        end
        i += more + 1
        if u <= 0xffff
            push!(out, u % UInt16)
        else
            u -= 0x00010000
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
