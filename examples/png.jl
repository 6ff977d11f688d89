# Grey images as PNG, from its specification: chunks with a CRC, one zlib stream of stored blocks with an Adler-32 sum.
function crc_table()
    table = zeros(UInt32, 256)
    for n in 0:255
        c = UInt32(n)
        for _ in 1:8
            c = (c & 1) == 1 ? 0xedb88320 ⊻ (c >> 1) : c >> 1
        end
        table[n + 1] = c
    end
    return table
end

function crc32(bytes, table)
    c = 0xffffffff
    for b in bytes
        c = table[Int((c ⊻ b) & 0xff) + 1] ⊻ (c >> 8)
    end
    return c ⊻ 0xffffffff
end

big_endian(x::UInt32) = UInt8[(x >> 24) % UInt8, (x >> 16) % UInt8, (x >> 8) % UInt8, x % UInt8]

function chunk!(png, kind, data, table)
    body = vcat(Vector{UInt8}(codeunits(kind)), data)
    append!(png, big_endian(UInt32(length(data))), body, big_endian(crc32(body, table)))
end

function stored_zlib(raw)
    out = UInt8[0x78, 0x01]
    a, b = UInt32(1), UInt32(0)
    for byte in raw
        a = (a + byte) % 0x0000fff1
        b = (b + a) % 0x0000fff1
    end
    for first in 1:65535:length(raw)
        last = min(first + 65534, length(raw))
        n = UInt16(last - first + 1)
        final = last == length(raw) ? 0x01 : 0x00
        append!(out, UInt8[final, n % UInt8, (n >> 8) % UInt8, ~n % UInt8, (~n >> 8) % UInt8], raw[first:last])
    end
    return append!(out, big_endian((b << 16) | a))
end

function grey_png(pixels)
    width, height = size(pixels)
    raw = UInt8[]
    for j in 1:height
        push!(raw, 0x00)
        append!(raw, pixels[:, j])
    end
    table = crc_table()
    png = UInt8[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    header = vcat(big_endian(UInt32(width)), big_endian(UInt32(height)), UInt8[8, 0, 0, 0, 0])
    chunk!(png, "IHDR", header, table)
    chunk!(png, "IDAT", stored_zlib(raw), table)
    chunk!(png, "IEND", UInt8[], table)
    return png
end

