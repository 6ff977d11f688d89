# What targets have instructions for, as tables: a row is a method that kernels for a target see in place of one that computes
# the same with what every device has. `docs/intrinsics.md` is made of them.
module DeviceIntrinsics

# The rows, in order: the overlay table, the instruction in the words of its vendor, the names that programs know it by, and the
# method that it takes the place of.
const ROWS = Any[]
signature(method::Expr) = method.head === :where || method.head === :(::) ? signature(method.args[1]) : string(method)
function record(table::Symbol, instruction, names, method)
    push!(ROWS, (; table, instruction = String(instruction), names = String(names), method = String(method)))
    return nothing
end

# `@instruction ptx_80 "redux.sync.add" "CUDA.reduce_add_sync" f(a::A, b::B) = body`: a row, and the overlay that it says.
macro instruction(table, instruction, names, method)
    return esc(:($record($(QuoteNode(table)), $instruction, $names, $(signature(method.args[1])));
        Base.Experimental.@overlay Base.DeviceTables.$table @inline $method))
end

# The targets whose kernels see a table.
const TARGETS = (ptx = "sm_50", ptx_61 = "sm_61", ptx_70 = "sm_70", ptx_80 = "sm_80", ptx_90 = "sm_90", gcn = "all",
    gcn_dot = "gfx906 to gfx950, gfx1030 to gfx1036", gcn_mixed_dot = "gfx1100", spirv = "all")
const BACK_ENDS = ("NVIDIA GPUs" => (:ptx, :ptx_61, :ptx_70, :ptx_80, :ptx_90), "AMD GPUs" => (:gcn, :gcn_dot, :gcn_mixed_dot),
    "SPIR-V" => (:spirv,))

const INTRODUCTION = """
# Instructions of targets

Functions that some targets have instructions for. On every other target, and on the CPU device, the same function computes the
same with what is there; approximate functions and functions rounded in another way say so in the column of names. "From" is
the first target, or those that have it. A kernel that names an intrinsic of LLVM itself (`ccall("llvm...", llvmcall, ...)`) gets
it, or a refusal that names the first target that has it. Matrix units are in [matrices.md](matrices.md).

This page is made of the tables in `base/core` and `base/dialects`: `kiln run tests/programs/intrinsics_page.jl write`.
"""
cell(s) = replace(s, "|" => "\\|")
function page()
    text = INTRODUCTION
    for (name, tables) in BACK_ENDS
        text *= "\n## $name\n\n| instruction | from | names in programs | method that it replaces |\n|---|---|---|---|\n"
        for table in tables, row in ROWS
            row.table === table || continue
            text *= "| `$(cell(row.instruction))` | $(getfield(TARGETS, table)) | $(cell(row.names)) | `$(cell(row.method))` |\n"
        end
    end
    return text
end

end
