# Output from kernels: the host prints it for the item.

import Printf

printf_text(format, args...) = print(Printf.format(Printf.Format(format), args...))
macro printf(format, args...)
    format isa String || throw(ArgumentError("@printf: the format is not a literal string"))
    return Kernels.report_call(printf_text, Any[format, map(esc, args)...])
end
macro print(parts...)
    return Kernels.report_call(print, Any[map(esc, Kernels.flatten_parts(parts))...])
end
macro println(parts...)
    return Kernels.report_call(print, Any[map(esc, Kernels.flatten_parts((parts..., "\n")))...])
end
# Each expression with its value, which is that of the macro.
macro show(exs...)
    shown = Any[]
    value = nothing
    for ex in exs
        value = gensym(:value)
        push!(shown, :($value = $(esc(ex))), Kernels.report_call(print, Any[string(ex, " = "), value, "\n"]))
    end
    return Expr(:block, shown..., value)
end
