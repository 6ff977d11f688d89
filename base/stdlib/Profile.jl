# The profiler of Julia code, which kiln lacks; `kiln run --timings` and `CUDA.@profile` measure.
module Profile

export @profile
macro profile(ex)
    throw(Base.UnsupportedError(Symbol("@profile"), "kiln has no profiler of Julia code; `kiln run --timings` shows its own stages"))
end
Base.@lacked print fetch init take_heap_snapshot
clear() = nothing

end
