# Output from kernels. What an item prints is printed by the host. The first item of each group prints, unless it is said
# otherwise: `@rocprintf :lane "..."` prints for each item, `:wave` for the first of each wavefront, `:grid` for the first of all.

import Printf

printf_text(format, args...) = print(Printf.format(Printf.Format(format), args...))

@inline is_first_of_group() = Kernels.local_id(1) == 0
const WHO_PRINTS = (
    grid = :(is_first_of_group() && Kernels.group_id(1) == 0),
    group = :(is_first_of_group()),
    wave = :(Kernels.local_id(1) % Int(wavefrontsize()) == 0),
    lane = true)

# `mode` is a quoted symbol before the rest; in host code there is no item to ask about.
function mode_and_rest(name, args)
    isempty(args) && throw(ArgumentError(string(name, ": what is to be printed is missing")))
    args[1] isa QuoteNode || return :group, args
    mode = args[1].value
    mode in keys(WHO_PRINTS) || throw(ArgumentError(string("Invalid execution mode: ", mode)))
    return mode, args[2:end]
end
gated(mode, print) = :((!Kernels.in_kernel() || $(getproperty(WHO_PRINTS, mode))) ? $print : nothing)

macro rocprintf(args...)
    Base.@keep_expansions
    mode, rest = mode_and_rest("@rocprintf", args)
    !isempty(rest) && rest[1] isa String || throw(ArgumentError("@rocprintf format-string must be a String"))
    return gated(mode, Kernels.report_call(printf_text, Any[rest[1], map(esc, rest[2:end])...]))
end
printed(name, parts) =
    ((mode, rest) = mode_and_rest(name, parts); gated(mode, Kernels.report_call(print, Any[map(esc, Kernels.flatten_parts(rest))...])))
macro rocprint(parts...)
    Base.@keep_expansions
    return printed("@rocprint", parts)
end
macro rocprintln(parts...)
    Base.@keep_expansions
    return printed("@rocprintln", (parts..., "\n"))
end
