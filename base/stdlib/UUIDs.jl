# Universally unique identifiers.
module UUIDs

using Random: AbstractRNG, RandomDevice
import Base: UUID

export UUID, uuid1, uuid4, uuid5, uuid7, uuid_version

# Namespaces of names for `uuid5`, by RFC 4122.
const namespace_dns = UUID(0x6ba7b8109dad11d180b400c04fd430c8)
const namespace_url = UUID(0x6ba7b8119dad11d180b400c04fd430c8)
const namespace_oid = UUID(0x6ba7b8129dad11d180b400c04fd430c8)
const namespace_x500 = UUID(0x6ba7b8149dad11d180b400c04fd430c8)

"""
    uuid_version(u::UUID)

The version of an identifier: how it was made.
"""
uuid_version(u::UUID) = Int((u.value >> 76) & 0xf)

# The bits with the marks of a version.
with_version(bits::UInt128, version) =
    UUID(bits & ~(UInt128(0xf) << 76) & ~(UInt128(0x3) << 62) | UInt128(version) << 76 | UInt128(0x2) << 62)

# Steps of 100 ns since the Gregorian calendar began.
gregorian_time() = round(UInt64, time() * 1e7) + 0x01b21dd213814000

"""
    uuid1([rng])

An identifier made of the time and random bits.
"""
function uuid1(rng::AbstractRNG = RandomDevice())
    bits = rand(rng, UInt128) & ((UInt128(1) << 62) - 1) | UInt128(1) << 40 # the node is no network address
    time = UInt128(gregorian_time())
    with_version(bits | (time & 0xffffffff) << 96 | (time >> 32 & 0xffff) << 80 | (time >> 48 & 0x0fff) << 64, 1)
end

"""
    uuid4([rng])

A random identifier.
"""
uuid4(rng::AbstractRNG = RandomDevice()) = with_version(rand(rng, UInt128), 4)

"""
    uuid5(namespace::UUID, name)

The identifier of a name in a namespace: equal arguments have equal ones.
"""
function uuid5(ns::UUID, name::String)
    bytes = UInt8[(ns.value >> 8i) % UInt8 for i in 15:-1:0]
    hash = sha1([bytes; codeunits(name)])
    with_version(foldl((bits, byte) -> bits << 8 | byte, hash[1:16]; init = UInt128(0)), 5)
end
uuid5(ns::UUID, name::AbstractString) = uuid5(ns, String(name))

"""
    uuid7([rng])

An identifier that begins with the time, so that later ones are greater.
"""
uuid7(rng::AbstractRNG = RandomDevice()) =
    with_version(rand(rng, UInt128) & ((UInt128(1) << 80) - 1) | UInt128(floor(UInt64, time() * 1000)) << 80, 7)

# SHA-1 of bytes, as `uuid5` is defined by it.
function sha1(data::Vector{UInt8})
    message = [data; 0x80]
    append!(message, zeros(UInt8, mod(56 - length(message), 64)))
    append!(message, UInt8[(8 * UInt64(length(data)) >> 8i) % UInt8 for i in 7:-1:0])
    state = UInt32[0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
    words = Vector{UInt32}(undef, 80)
    for block in 1:64:length(message)
        for i in 1:16
            at = block + 4 * (i - 1)
            words[i] = UInt32(message[at]) << 24 | UInt32(message[at + 1]) << 16 | UInt32(message[at + 2]) << 8 | message[at + 3]
        end
        for i in 17:80
            words[i] = bitrotate(words[i - 3] ⊻ words[i - 8] ⊻ words[i - 14] ⊻ words[i - 16], 1)
        end
        a, b, c, d, e = state
        for i in 1:80
            f, k = i <= 20 ? (b & c | ~b & d, 0x5a827999) : i <= 40 ? (b ⊻ c ⊻ d, 0x6ed9eba1) :
                i <= 60 ? (b & c | b & d | c & d, 0x8f1bbcdc) : (b ⊻ c ⊻ d, 0xca62c1d6)
            a, b, c, d, e = bitrotate(a, 5) + f + e + k + words[i], a, bitrotate(b, 30), c, d
        end
        state .+= (a, b, c, d, e)
    end
    UInt8[(word >> shift) % UInt8 for word in state for shift in (24, 16, 8, 0)]
end

end
