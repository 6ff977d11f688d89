# Packages: the active project, where a package is, and the check that Julia makes of one before it keeps its code.

# Functions that are called when another project becomes active.
const active_project_callbacks = Any[]
function set_active_project(project::Union{AbstractString, Nothing})
    ACTIVE_PROJECT[] = project === nothing ? nothing : String(project)
    for callback in active_project_callbacks
        try
            invokelatest(callback)
        catch problem
            @error "active project callback $callback failed" exception = (problem, catch_backtrace())
        end
    end
end

# kiln keeps the code of packages without being asked, so there is nothing to write: what is left is whether the file is that of
# a package, one module of its name with no import beside it.
function compilecache(pkg::PkgId, messages::IO = stderr, output::IO = stdout)
    file = locate_package(pkg)
    file === nothing && throw(ArgumentError("Package $(pkg.name) not found in current path."))
    problem = package_problem(pkg.name, Meta.parseall(read(file, String); filename = file))
    problem === nothing && return nothing
    println(messages, "ERROR: ", problem)
    error("Failed to precompile ", pkg, ".")
end
function package_problem(name::AbstractString, file::Expr)
    imported = first_import(file)
    imported === nothing || return string("`using/import ", imported, "` outside of a Module detected. Importing a package outside of a module is not allowed during package precompilation.")
    any(ex -> isexpr(ex, :module) && ex.args[2] === Symbol(name), file.args) && return nothing
    string("package `", name, "` did not define the expected module `", name, "`, check for typos in package module name")
end
# The first package that is imported outside a module.
function first_import(ex::Expr)
    if ex.head === :using || ex.head === :import
        path = isexpr(ex.args[1], :(:)) ? ex.args[1].args[1] : ex.args[1]
        isexpr(path, :as) && (path = path.args[1])
        return path.args[1] === :. ? nothing : path.args[1]
    end
    ex.head in (:toplevel, :block, :if, :elseif, :let) || return nothing
    for arg in ex.args
        arg isa Expr || continue
        found = first_import(arg)
        found === nothing || return found
    end
    nothing
end
