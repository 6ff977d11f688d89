# Output from kernels: the host prints it for the item.

import Printf

printf_text(format, args...) = print(Printf.format(Printf.Format(format), args...))
macro mtlprintf(format, args...)
    format isa String || throw(ArgumentError("@mtlprintf: the format is not a literal string"))
    return Kernels.report_call(printf_text, Any[format, map(esc, args)...])
end
macro mtlprint(parts...)
    return Kernels.report_call(print, Any[map(esc, Kernels.flatten_parts(parts))...])
end
macro mtlprintln(parts...)
    return Kernels.report_call(print, Any[map(esc, Kernels.flatten_parts((parts..., "\n")))...])
end
