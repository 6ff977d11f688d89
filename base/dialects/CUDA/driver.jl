# What programs ask of the driver and of the device they run on.

struct CuContext
    device::CuDevice
end
context() = CuContext(device())
context!(c::CuContext) = c
context!(f, c::CuContext) = f()
device(c::CuContext) = c.device
synchronize(::CuContext) = Device.synchronize()

# Memory is the host's: nothing is pooled, and what the device has is what it says.
total_memory() = totalmem(device())
available_memory() = totalmem(device())
used_memory() = 0
memory_status(io::IO = stdout) = println(io, "Memory of the device: ", total_memory(), " bytes; arrays are the host's")
reclaim(bytes::Integer = 0) = nothing
pin(a) = a
is_pinned(ptr) = false
deviceid(::CuDevice = device()) = 0

# The version of CUDA whose functions these are.
version() = v"13.0"
driver_version() = version()
runtime_version() = version()
compiler_version() = version()
local_toolkit = false

# `sm"90a"`: a generation of GPUs, and whose features may be used: those of all later ones, of its family, its own.
struct SMVersion
    major::Int
    minor::Int
    feature_set::Symbol
    function SMVersion(major::Integer, minor::Integer, feature_set::Symbol = :baseline)
        feature_set in (:baseline, :family, :arch) ||
            throw(ArgumentError(string("a set of features is :baseline, :family or :arch, not :", feature_set)))
        return new(Int(major), Int(minor), feature_set)
    end
end
SMVersion(v::SMVersion) = v
SMVersion(v::VersionNumber) = SMVersion(v.major, v.minor)
function SMVersion(text::AbstractString)
    rest = startswith(text, "sm_") ? SubString(text, 4) : text
    set = endswith(rest, 'a') ? :arch : endswith(rest, 'f') ? :family : :baseline
    number = set === :baseline ? tryparse(Int, rest) : tryparse(Int, chop(rest))
    (number === nothing || number < 10) && throw(ArgumentError(string("not a version of an NVIDIA GPU: \"", text, "\"")))
    return SMVersion(div(number, 10), rem(number, 10), set)
end
macro sm_str(text)
    return SMVersion(text)
end
Base.VersionNumber(v::SMVersion) = VersionNumber(v.major, v.minor)
Base.isless(a::SMVersion, b::SMVersion) = isless((a.major, a.minor), (b.major, b.minor))
function Base.print(io::IO, v::SMVersion)
    suffix = v.feature_set === :arch ? "a" : v.feature_set === :family ? "f" : ""
    print(io, "sm_", v.major, v.minor, suffix)
end
Base.show(io::IO, v::SMVersion) = print(io, "sm\"", SubString(string(v), 4), "\"")

struct OutOfGPUMemoryError <: Exception
    sz::Int
end
Base.showerror(io::IO, e::OutOfGPUMemoryError) = print(io, "Out of GPU memory trying to allocate ", e.sz, " bytes")

# Batches, put on the device one at a time.
struct CuIterator{B}
    batches::B
end
Base.length(c::CuIterator) = length(c.batches)
Base.axes(c::CuIterator) = axes(c.batches)
Base.size(c::CuIterator) = size(c.batches)
Base.eltype(::Type{CuIterator{B}}) where {B} = Any
Base.IteratorSize(::Type{CuIterator{B}}) where {B} = Base.IteratorSize(B)
function Base.iterate(c::CuIterator, state...)
    next = iterate(c.batches, state...)
    next === nothing && return nothing
    batch, state = next
    return Adapt.adapt(CuArray, batch), state
end
