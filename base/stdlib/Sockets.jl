# Addresses of the internet. kiln opens no connections: what would is an error, with its name.
module Sockets

export IPAddr, IPv4, IPv6, InetAddr, @ip_str, TCPSocket, TCPServer, UDPSocket, accept, bind, connect, getaddrinfo, getalladdrinfo,
    getnameinfo, getipaddr, getipaddrs, getpeername, getsockname, listen, listenany, recv, recvfrom, send, localhost,
    join_multicast_group, leave_multicast_group

abstract type IPAddr end
struct IPv4 <: IPAddr
    host::UInt32
    IPv4(host::UInt32) = new(host)
    IPv4(host::Integer) = new(UInt32(host))
end
struct IPv6 <: IPAddr
    host::UInt128
    IPv6(host::UInt128) = new(host)
    IPv6(host::Integer) = new(UInt128(host))
end
Base.isless(a::T, b::T) where {T <: IPAddr} = isless(a.host, b.host)
Base.Broadcast.broadcastable(a::IPAddr) = Ref(a)

@noinline wrong_address(what, s) = throw(ArgumentError(string("invalid ", what, " address: ", s)))
IPv4(s::AbstractString) = parse(IPv4, s)
function Base.parse(::Type{IPv4}, s::AbstractString)
    parts = split(s, '.')
    length(parts) == 4 || wrong_address("IPv4", s)
    bytes = map(p -> tryparse(UInt8, p), parts)
    any(isnothing, bytes) && wrong_address("IPv4", s)
    IPv4(foldl((n, b) -> n << 8 | b, bytes; init = UInt32(0)))
end
IPv6(s::AbstractString) = parse(IPv6, s)
# Groups of 16 bits; `::` stands for as many zeros as are missing.
function Base.parse(::Type{IPv6}, s::AbstractString)
    halves = split(s, "::")
    length(halves) <= 2 || wrong_address("IPv6", s)
    groups = map(h -> isempty(h) ? UInt16[] : map(p -> something(tryparse(UInt16, p; base = 16), -1), split(h, ':')), halves)
    any(g -> any(==(-1), g), groups) && wrong_address("IPv6", s)
    given = sum(length, groups)
    (length(halves) == 1 ? given == 8 : given < 8) || wrong_address("IPv6", s)
    all = length(halves) == 1 ? groups[1] : [groups[1]; zeros(UInt16, 8 - given); groups[2]]
    IPv6(foldl((n, g) -> n << 16 | UInt16(g), all; init = UInt128(0)))
end
Base.parse(::Type{IPAddr}, s::AbstractString) = ':' in s ? parse(IPv6, s) : parse(IPv4, s)
macro ip_str(s)
    parse(IPAddr, s)
end
Base.print(io::IO, a::IPv4) = print(io, join(((a.host >> k) & 0xff for k in 24:-8:0), '.'))
Base.show(io::IO, a::IPAddr) = print(io, "ip\"", a, "\"")
# The longest run of two zeros or more is `::`.
function Base.print(io::IO, a::IPv6)
    groups = [(a.host >> k) % UInt16 for k in 112:-16:0]
    best = 1:0
    for i in 1:8
        j = i
        while j <= 8 && iszero(groups[j])
            j += 1
        end
        j - i > max(1, length(best)) && (best = i:(j - 1))
    end
    text(gs) = join((string(g; base = 16) for g in gs), ':')
    isempty(best) ? print(io, text(groups)) : print(io, text(groups[1:(first(best) - 1)]), "::", text(groups[(last(best) + 1):8]))
end
struct InetAddr{T <: IPAddr}
    host::T
    port::UInt16
end
InetAddr(host::IPAddr, port) = InetAddr{typeof(host)}(host, UInt16(port))
const localhost = ip"127.0.0.1"

struct TCPSocket <: IO
    TCPSocket(args...; kws...) = throw(Base.UnsupportedError(:TCPSocket, "kiln opens no connections"))
end
struct TCPServer
    TCPServer(args...; kws...) = throw(Base.UnsupportedError(:TCPServer, "kiln opens no connections"))
end
struct UDPSocket
    UDPSocket(args...; kws...) = throw(Base.UnsupportedError(:UDPSocket, "kiln opens no connections"))
end
import Base: bind
Base.@lacked accept connect getaddrinfo getalladdrinfo getnameinfo getipaddr getipaddrs getpeername getsockname listen listenany recv recvfrom send join_multicast_group leave_multicast_group

end
