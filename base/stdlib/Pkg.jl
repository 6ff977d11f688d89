# Package environments. kiln loads packages from checkouts and installs none: what would change a project, a registry or the
# disk throws.
module Pkg

using Base: UnsupportedError

const HELP = "kiln installs no packages: packages that a project or a depot has are found (docs/packages.md)"
@noinline refuse(what) = throw(UnsupportedError(Symbol("Pkg.", what), HELP))

# The project file in use; its `[deps]` are what `instantiate` looks for.
function activate(path::AbstractString; shared::Bool = false, temp::Bool = false, io = stderr)
    shared && refuse("activate(shared = true)")
    file = isdir(path) ? project_file(path) : endswith(path, ".toml") ? abspath(path) : joinpath(abspath(path), "Project.toml")
    Base.set_active_project(file)
    nothing
end
activate(; temp::Bool = false, kws...) = temp ? refuse("activate(temp = true)") : (Base.set_active_project(nothing); nothing)
function activate(f::Function, path::AbstractString)
    before = Base.ACTIVE_PROJECT[]
    activate(path)
    try
        return f()
    finally
        Base.set_active_project(before)
    end
end
function project_file(folder)
    for name in ("JuliaProject.toml", "Project.toml")
        isfile(joinpath(folder, name)) && return abspath(joinpath(folder, name))
    end
    joinpath(abspath(folder), "Project.toml")
end

# The names in a table of a project file whose entries stand one a line.
function table_names(file, table)
    names, inside = String[], false
    for line in split(read(file, String), '\n')
        text = strip(line)
        if startswith(text, "[")
            inside = text == "[$table]"
        elseif inside && occursin('=', text) && !startswith(text, "#")
            push!(names, String(strip(strip(split(text, '='; limit = 2)[1]), '"')))
        end
    end
    names
end
is_available(name) = Base.is_available(String(name))
function need(names, what)
    lacking = filter(!is_available, names)
    isempty(lacking) || throw(UnsupportedError(Symbol("Pkg.", what), string("not available: ", join(lacking, ", "), "; ", HELP)))
    nothing
end

# These succeed where there is nothing to install.
function instantiate(; kws...)
    file = Base.active_project()
    file === nothing || !isfile(file) || need(table_names(file, "deps"), "instantiate")
    nothing
end
struct PackageSpec
    name::Union{String, Nothing}
    uuid::Any
    url::Union{String, Nothing}
    path::Union{String, Nothing}
    version::Any
end
PackageSpec(name::AbstractString) = PackageSpec(; name)
PackageSpec(; name = nothing, uuid = nothing, url = nothing, path = nothing, version = nothing, kws...) =
    PackageSpec(name, uuid, url, path, version)
name_of(s::AbstractString) = String(first(split(s, '@')))
name_of(p::PackageSpec) = p.name === nothing ? refuse("add of a url or path") : p.name
add(name::Union{AbstractString, PackageSpec}; kws...) = need([name_of(name)], "add")
add(names::AbstractVector; kws...) = need(map(name_of, names), "add")
add(; name = nothing, url = nothing, kws...) = name === nothing || url !== nothing ? refuse("add of a url or path") : add(name)

for f in (:develop, :resolve, :update, :build, :status, :precompile, :test, :rm, :pin, :free, :gc, :generate, :dependencies,
        :project, :undo, :redo, :why, :compat)
    @eval $f(args...; kws...) = refuse($(string(f)))
end

end
