# SPIRVIntrinsics: what kernels call under OpenCL's names, as the packages oneAPI and OpenCL share it. Positions are `Int`, from 1.
module SPIRVIntrinsics

import Base.Device as Kernels
import Base.Device: @only_in_kernels
import Base.DeviceLanes

include("SPIRVIntrinsics/work_items.jl")
include("SPIRVIntrinsics/synchronization.jl")
include("SPIRVIntrinsics/memory.jl")
include("SPIRVIntrinsics/atomics.jl")
include("SPIRVIntrinsics/integers.jl")
include("SPIRVIntrinsics/mathematics.jl")
include("SPIRVIntrinsics/output.jl")

# Names that a package takes over from here, the public ones exported again.
const OWN_NAMES = (:SPIRVIntrinsics, :OWN_NAMES, :eval, :include, :names_to_import)
names_to_import() =
    Symbol[n for n in names(SPIRVIntrinsics; all = true) if !(n in OWN_NAMES) && !startswith(string(n), "#")]
macro import_all()
    return esc(Expr(:block, Any[:(import SPIRVIntrinsics: $name) for name in names_to_import()]...))
end
macro reexport_public()
    return esc(Expr(:block, Any[:(export $name) for name in names(SPIRVIntrinsics) if name !== :SPIRVIntrinsics]...))
end

end
