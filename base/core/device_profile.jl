# Profiles of device activity: the kernels and copies of a piece of host code, with their times.
#
# While one is taken a launch is waited for, so that its time is that of the kernel.
module DeviceProfile

import Base.Device

struct Event
    name::String
    start::UInt64       # nanoseconds, as `time_ns` counts
    stop::UInt64
    bytes::Int          # copied
end
duration(e::Event) = Float64(e.stop - e.start)

taking::Bool = false
const EVENTS = Event[]

# Runs `f` and notes it.
function recorded(f, name, bytes = 0)
    start = time_ns()
    value = f()
    Device.synchronize()
    push!(EVENTS, Event(string(name), start, time_ns(), bytes))
    value
end
kernel_name(f::Function) = nameof(f)
kernel_name(f) = nameof(typeof(f))

struct Results
    start::UInt64
    stop::UInt64
    events::Vector{Event}
    trace::Bool         # shown event by event
end

function profiled(f; trace::Bool = false)
    taking && error("a profile is being taken already")
    empty!(EVENTS)
    Device.synchronize()
    start = time_ns()
    global taking = true
    try
        f()
        Device.synchronize()
    finally
        global taking = false
    end
    Results(start, time_ns(), copy(EVENTS), trace)
end

# Text.
function time_text(ns)
    ns < 1e3 && return string(fixed(ns), " ns")
    ns < 1e6 && return string(fixed(ns / 1e3), " µs")
    ns < 1e9 ? string(fixed(ns / 1e6), " ms") : string(fixed(ns / 1e9), " s")
end
fixed(x) = Core.Host.float_to_string(Float64(x), :fixed, 2)
function byte_text(n)
    n < 1024 && return string(n, " B")
    n < 1024^2 && return string(fixed(n / 1024), " KiB")
    n < 1024^3 ? string(fixed(n / 1024^2), " MiB") : string(fixed(n / 1024^3), " GiB")
end

function show_table(io, titles, rows)
    widths = [maximum(row -> textwidth(row[k]), rows; init = textwidth(titles[k])) for k in 1:length(titles)]
    line(a, b, c) = println(io, a, join(["─"^(w + 2) for w in widths], b), c)
    row(cells) = println(io, "│ ", join([k == length(cells) ? rpad(cells[k], widths[k]) : lpad(cells[k], widths[k])
        for k in 1:length(cells)], " │ "), " │")
    line("┌", "┬", "┐")
    row(titles)
    line("├", "┼", "┤")
    foreach(row, rows)
    line("└", "┴", "┘")
end
function summary_rows(r, whole)
    names = unique(map(e -> e.name, r.events))
    groups = sort!([filter(e -> e.name == n, r.events) for n in names]; by = g -> -sum(duration, g))
    map(groups) do g
        total = sum(duration, g)
        spread = length(g) == 1 ? "" : string(time_text(total / length(g)), " (", time_text(minimum(duration, g)), " ‥ ",
            time_text(maximum(duration, g)), ")")
        bytes = sum(e -> e.bytes, g)
        [string(fixed(100 * total / whole), "%"), time_text(total), string(length(g)), spread, bytes == 0 ? "" : byte_text(bytes), g[1].name]
    end
end
trace_rows(r) = [[string(k), time_text(e.start - r.start), time_text(duration(e)), e.bytes == 0 ? "" : byte_text(e.bytes), e.name]
    for (k, e) in enumerate(r.events)]
Base.show(io::IO, r::Results) = print(io, "ProfileResults(", length(r.events), " events)")
function Base.show(io::IO, ::MIME"text/plain", r::Results)
    whole = Float64(r.stop - r.start)
    n = length(r.events)
    println(io, "Profiler ran for ", time_text(whole), ", capturing ", n, n == 1 ? " event." : " events.")
    n == 0 && return nothing
    busy = sum(duration, r.events)
    println(io, "\nDevice-side activity: busy for ", time_text(busy), " (", fixed(100 * busy / whole), "% of the trace)")
    r.trace ? show_table(io, ["ID", "Start", "Time", "Size", "Name"], trace_rows(r)) :
        show_table(io, ["Time (%)", "Total time", "Calls", "Time distribution", "Size", "Name"], summary_rows(r, whole))
    nothing
end

end
