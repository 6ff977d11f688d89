# Adapt: how structures convert what they hold. The rule itself lives in Base, because kernels are launched by it.
module Adapt

import Base.Device: adapt, adapt_structure, adapt_storage
using LinearAlgebra
export adapt, @adapt_structure, WrappedArray, parent_type, unwrap_type

macro adapt_structure(T)
    return quote
        function Adapt.adapt_structure(to, obj::$(esc(T)))
            fields = ntuple(i -> Adapt.adapt(to, getfield(obj, i)), nfields(obj))
            return $(esc(T))(fields...)
        end
    end
end

adapt(to) = Base.Fix1(adapt, to)

include("Adapt/wrappers.jl")
include("Adapt/arrays.jl")

Base.Device.register_dialect((;
    home = Adapt,
    is_portable = true,
    adapting = "define `Adapt.adapt_structure` (or use `Adapt.@adapt_structure`)"))

end
