# Loading packages: which package a name means, where its code is, and its module. The rules are in the crate `kiln-packages`, which
# `Core.Host.packages` asks.

uuid_text(::Nothing) = ""
uuid_text(uuid::UUID) = string(uuid)
uuid_of_text(text::String) = isempty(text) ? nothing : UUID(text)

function PkgId(m::Module, name::AbstractString = String(nameof(moduleroot(m))))
    m === Main || m === Base || m === Core ? PkgId(nothing, name) : PkgId(uuid_of_text(Host.packages(:uuid, m)), name)
end

# The names of files that environments are made of.
const project_names = ("JuliaProject.toml", "Project.toml")
const manifest_names = ("JuliaManifest-v1.12.toml", "Manifest-v1.12.toml", "JuliaManifest.toml", "Manifest.toml")
const preferences_names = ("JuliaLocalPreferences.toml", "LocalPreferences.toml")
isfile_casesensitive(path) = isfile(path)

# The project file of an environment; `true` for a folder of packages, `false` for what is not there.
function env_project_file(env::String)
    isdir(env) || return basename(env) in project_names && isfile(env) ? env : false
    for name in project_names
        file = joinpath(env, name)
        isfile(file) && return file
    end
    true
end

load_path_expand(env::AbstractString) = env == "@temp" ? mktempdir() : Host.packages(:expand, String(env))
load_path() = Host.packages(:environments)
function current_project()
    Host.packages(:expand, "@.")
end
"""
    Base.active_project()

The project file of the active environment, or `nothing`. The file need not exist.
"""
function active_project(search_load_path::Bool = true)
    found = Host.packages(:active)
    found === nothing || return found
    search_load_path || return nothing
    for entry in LOAD_PATH
        entry == "@" && continue
        path = load_path_expand(entry)
        path === nothing && continue
        isfile(path) && return path
        ispath(path) && continue
        basename(path) in project_names && return path
    end
    nothing
end

# A table of TOML as a dictionary. A time stays as it is written.
toml_value(x) = x
toml_value(x::Symbol) = throw(UnsupportedError(:TOML, string("dates and times: ", x)))
toml_value(x::Vector{Any}) = Any[toml_value(it) for it in x]
function toml_value(x::Tuple{Vector{String}, Vector{Any}})
    table = Dict{String, Any}()
    for (key, value) in zip(x[1], x[2])
        table[key] = toml_value(value)
    end
    table
end
parse_toml(text::String, file::String) = toml_value(Host.packages(:toml, text, file))
struct TOMLCache end
parsed_toml(path::AbstractString, cache::TOMLCache = TOMLCache()) = parse_toml(read(path, String), String(path))

"""
    Base.identify_package(name)
    Base.identify_package(parent, name)

The identity of the package that `name` means in a program, or in the module or package `parent`; `nothing` if no environment of the
load path has it.
"""
identify_package(name::AbstractString) = identify_package(PkgId("Main"), name)
identify_package(parent::Module, name::AbstractString) = identify_package(PkgId(moduleroot(parent)), name)
function identify_package(parent::PkgId, name::AbstractString)
    found = Host.packages(:identify, uuid_text(parent.uuid), parent.name, String(name))
    found === nothing ? nothing : PkgId(uuid_of_text(found[2]), found[1])
end

"""
    Base.locate_package(pkg::PkgId)

The main file of a package, or `nothing` if no environment of the load path has it.
"""
function locate_package(pkg::PkgId)
    found = Host.packages(:locate, uuid_text(pkg.uuid), pkg.name)
    found === nothing && return nothing
    isempty(found[1]) ? Host.find_package(pkg.name) : found[1]
end
function find_package(args...)
    name = args[end]
    # Programs ask whether a vendor's package is there to choose a device; kiln's own is one that programs name.
    pkg = identify_package(args...)
    pkg === nothing && return nothing
    found = Host.packages(:locate, uuid_text(pkg.uuid), pkg.name)
    found === nothing && return nothing
    isempty(found[1]) || return found[1]
    name in VENDOR_PACKAGES ? nothing : Host.find_package(pkg.name)
end
const VENDOR_PACKAGES = ("CUDA", "AMDGPU", "Metal", "oneAPI", "OpenCL")

# Dictionaries of loaded packages. The packages of the library are entered when something asks: each program uses some, and few ask.
struct LoadedPackages{V} <: AbstractDict{PkgId, V}
    entered::Dict{PkgId, V}
end
LoadedPackages{V}() where {V} = LoadedPackages{V}(Dict{PkgId, V}())
function all_entered(d::LoadedPackages)
    enter_used_packages()
    d.entered
end
length(d::LoadedPackages) = length(all_entered(d))
iterate(d::LoadedPackages, state...) = iterate(isempty(state) ? all_entered(d) : d.entered, state...)
haskey(d::LoadedPackages, key) = haskey(all_entered(d), key)
get(d::LoadedPackages, key, default) = get(all_entered(d), key, default)
get(f::Base.Callable, d::LoadedPackages, key) = get(f, all_entered(d), key)
getindex(d::LoadedPackages, key) = all_entered(d)[key]
function setindex!(d::LoadedPackages, value, key)
    all_entered(d)[key] = value
    d
end
function delete!(d::LoadedPackages, key)
    delete!(all_entered(d), key)
    d
end

# The loaded packages, by their identities, and what is known of each.
const loaded_modules = LoadedPackages{Module}()
mutable struct PkgOrigin
    path::Union{String, Nothing}
    cachepath::Union{String, Nothing}
    version::Union{VersionNumber, Nothing}
end
PkgOrigin(path = nothing, cachepath = nothing) = PkgOrigin(path, cachepath, nothing)
const pkgorigins = LoadedPackages{PkgOrigin}()
# Functions that are called with the identity of each package that has been loaded.
const package_callbacks = Any[]
const require_lock = ReentrantLock()
root_module(key::PkgId) = loaded_modules[key]
root_module(m::Module, name::Symbol) = root_module(something(identify_package(m, String(name))))
root_module_exists(key::PkgId) = haskey(loaded_modules, key)
maybe_root_module(key::PkgId) = get(loaded_modules, key, nothing)
root_module_key(m::Module) = PkgId(m)
function loaded_modules_array()
    enter_used_packages()
    copy(loaded_modules_order)
end
is_root_module(m::Module) = parentmodule(m) === m || m === Main

# Packages whose files are being evaluated, the innermost last, with the tasks that do it.
const packages_in_loading = Tuple{PkgId, Any}[]

# Enters the packages of the library that have been used since the last call; returns their identities, dependencies first.
function enter_used_packages()
    made = PkgId[]
    for m in Host.packages(:used)
        id = PkgId(m)
        haskey(loaded_modules.entered, id) && continue
        loaded_modules.entered[id] = m
        pkgorigins.entered[id] = PkgOrigin(Host.pathof(m))
        push!(loaded_modules_order, m)
        push!(made, id)
    end
    made
end

function require(into::Module, name::Symbol)
    text = String(name)
    parent = PkgId(moduleroot(into))
    key = identify_package(parent, text)
    key === nothing && throw(ArgumentError(missing_package(into, text)))
    require(key)
end
# What the error of a missing package says: where it was looked for, and how to provide it.
function missing_package(into::Module, name::String)
    root = moduleroot(into)
    searched = Host.packages(:searched)
    looked = isempty(searched) ? "the load path is empty" : string("searched ", join(searched, ", "))
    from = root === Main ? "" : string("Package ", nameof(root), " loads it.\n")
    string("Package ", name, " not found in current path.\n", from, looked)
end
function require(key::PkgId)
    loaded = get(loaded_modules, key, nothing)
    loaded === nothing || return loaded
    wait_for_loading(key)
    loaded = get(loaded_modules, key, nothing)
    loaded === nothing || return loaded
    push!(packages_in_loading, (key, current_task()))
    made = try
        load_package(key)
    finally
        deleteat!(packages_in_loading, findlast(it -> it[1] == key, packages_in_loading))
    end
    foreach(after_loading, made)
    loaded = get(loaded_modules, key, nothing)
    loaded === nothing || return loaded
    # A package of the library is entered with its UUID, also where a folder names it without one.
    loaded_modules_order[findlast(m -> String(nameof(m)) == key.name, loaded_modules_order)]
end
# Another task may load the package: then this one waits. The same task may not.
function wait_for_loading(key::PkgId)
    task = current_task()
    at = findlast(it -> it[1] == key, packages_in_loading)
    while at !== nothing
        if packages_in_loading[at][2] === task
            cycle = [it[1].name for it in packages_in_loading[at:end] if it[2] === task]
            throw(ConcurrencyViolationError(string("deadlock detected in loading ", join([cycle; key.name], " using "))))
        end
        yield()
        at = findlast(it -> it[1] == key, packages_in_loading)
    end
end
# Loads a package; the identities of it and of those of kiln's library that came with it, dependencies first.
function load_package(key::PkgId)
    found = Host.packages(:locate, uuid_text(key.uuid), key.name)
    found === nothing && throw(ArgumentError(string("Package ", key.name, " not found in current path.\nAn environment lists it as ", key, " and none says where it is; searched ", join(Host.packages(:searched), ", "))))
    file, version = found
    if isempty(file)
        enter_used_packages()
        Host.packages(:library, key.name)
        return enter_used_packages()
    end
    m = Host.packages(:load, uuid_text(key.uuid), key.name, file)
    register_root_module(m, key, file, version)
    [key]
end
function register_root_module(m::Module, key::PkgId, path, version)
    loaded_modules[key] = m
    push!(loaded_modules_order, m)
    pkgorigins[key] = PkgOrigin(path, nothing, version === nothing ? nothing : tryparse(VersionNumber, version))
    nothing
end
# Definitions of the library for packages, by the UUIDs of these: a function is called with the package's module.
const library_extensions = Dict{UUID, Any}()
function after_loading(key::PkgId)
    extend = key.uuid === nothing ? nothing : get(library_extensions, key.uuid, nothing)
    extend === nothing || invokelatest(extend, loaded_modules[key])
    load_extensions_of(key)
    try
        for callback in package_callbacks
            invokelatest(callback, key)
        end
    catch problem
        @error "Error during package callback" exception = (problem, catch_backtrace())
    end
end

# The folder of the package that a module is in, or a path below it; `nothing` if it is in none.
function pkgdir(m::Module, parts::String...)
    path = pathof(moduleroot(m))
    path === nothing && return nothing
    folder, name = splitdir(dirname(path))
    # An extension is in `ext`, or in a folder of its own there.
    basename(folder) == "ext" && (folder = dirname(folder))
    joinpath(folder, parts...)
end
# The version in the project file of the package that a module is in; `nothing` for a module that has none.
function pkgversion(m::Module)
    root = moduleroot(m)
    origin = get(pkgorigins, PkgId(root), nothing)
    origin === nothing || origin.version === nothing || return origin.version
    folder = pkgdir(root)
    (folder === nothing || startswith(folder, "@kiln")) && return nothing
    for name in project_names
        file = joinpath(folder, name)
        isfile(file) || continue
        version = get(parsed_toml(file), "version", nothing)
        return version === nothing ? nothing : VersionNumber(version)
    end
    nothing
end

# kiln keeps compiled code by its content, so there is nothing that a package could opt out of or ask about.
__precompile__(isprecompilable::Bool = true) = nothing
isprecompiled(pkg::PkgId; kws...) = false
generating_output(incremental::Union{Bool, Nothing} = nothing) = false

# Preferences of a package, and which of them were read while code was loaded.
const COMPILETIME_PREFERENCES = Dict{UUID, Set{String}}()
get_preferences(uuid::UUID) = toml_value(Host.packages(:preferences, uuid_text(uuid)))::Dict{String, Any}
get_preferences(::Nothing = nothing) = throw(UnsupportedError(:get_preferences, "a package without a UUID has no preferences"))
function record_compiletime_preference(uuid::UUID, key::String)
    push!(get!(Set{String}, COMPILETIME_PREFERENCES, uuid), key)
    nothing
end
function get_uuid_name(project::Dict{String, Any}, uuid::UUID)
    get(project, "uuid", nothing) == string(uuid) && return get(project, "name", nothing)
    for table in ("deps", "extras", "weakdeps"), (name, text) in get(project, table, Dict{String, Any}())
        text == string(uuid) && return name
    end
    nothing
end
# Whether a program finds the package.
function is_available(name::String)
    try
        id = identify_package(name)
        return id !== nothing && locate_package(id) !== nothing
    catch
        return false
    end
end
