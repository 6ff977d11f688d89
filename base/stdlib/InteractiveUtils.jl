# What interactive sessions use and scripts sometimes name; the macros that show compiled code run nothing.
module InteractiveUtils

export versioninfo, methodswith, subtypes, supertypes, @which, @code_lowered, @code_typed, @code_warntype, @code_llvm,
    @code_native, @functionloc, @less, @edit, varinfo, clipboard

versioninfo(io::IO = stdout; kws...) = println(io, "Julia Version ", VERSION, " (kiln)")
methodswith(args...; kws...) = Any[]
subtypes(T) = Any[]
supertypes(T) = T === Any ? (Any,) : (T, supertypes(supertype(T))...)
varinfo(args...; kws...) = nothing
for name in (:code_lowered, :code_typed, :code_warntype, :code_llvm, :code_native, :functionloc, :less, :edit, :which)
    @eval macro $name(args...)
        nothing
    end
end

end
