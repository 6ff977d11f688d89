# Foreign code, which kiln does not run: what calls it is an exception where control comes to it.

struct UnsupportedError <: Exception
    what::Symbol
    help::String
end
showerror(io::IO, e::UnsupportedError) = print(io, "UnsupportedError: unsupported: `", e.what, "`", isempty(e.help) ? "" : "\n", e.help)
@noinline unsupported_foreign_call(what::Symbol) =
    throw(UnsupportedError(what, "kiln runs no foreign code; call a Julia function instead"))
macro ccall(ex)
    :(unsupported_foreign_call(:ccall))
end
macro cfunction(f, rt, at)
    :(unsupported_foreign_call(Symbol("@cfunction")))
end
cglobal(args...) = unsupported_foreign_call(:cglobal)
llvmcall(args...) = unsupported_foreign_call(:llvmcall)
