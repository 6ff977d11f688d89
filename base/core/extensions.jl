# Extensions of packages: modules that are loaded once their package and all of their triggers are.

# An extension that waits: its identity, its package, and the packages that it needs beside it.
struct PackageExtension
    id::PkgId
    parent::PkgId
    triggers::Vector{PkgId}
end
const waiting_extensions = PackageExtension[]
const failed_extensions = PackageExtension[]
# The identities of extensions by package and name.
const extension_ids = Dict{Tuple{PkgId, Symbol}, PkgId}()

is_ready(it::PackageExtension) = haskey(loaded_modules, it.parent) && all(trigger -> haskey(loaded_modules, trigger), it.triggers)

# Notes the extensions of a package that has been loaded, and loads those that have become ready: fewest triggers first.
function load_extensions_of(key::PkgId)
    for list in Host.packages(:extensions, uuid_text(key.uuid), key.name)
        ids = [PkgId(uuid_of_text(list[at + 1]), list[at]) for at in 1:2:length(list)]
        extension_ids[(key, Symbol(ids[1].name))] = ids[1]
        haskey(loaded_modules, ids[1]) || push!(waiting_extensions, PackageExtension(ids[1], key, ids[2:end]))
    end
    ready = filter(is_ready, waiting_extensions)
    isempty(ready) && return nothing
    filter!(it -> !is_ready(it), waiting_extensions)
    foreach(load_extension, sort(ready; by = it -> length(it.triggers)))
end
function load_extension(it::PackageExtension)
    try
        require(it.id)
    catch problem
        push!(failed_extensions, it)
        @error "Error during loading of extension $(it.id.name) of $(it.parent.name), use `Base.retry_load_extensions()` to retry." exception = (problem, catch_backtrace())
    end
    nothing
end
"""
    Base.retry_load_extensions()

Loads the extensions again whose loading failed.
"""
function retry_load_extensions()
    again = copy(failed_extensions)
    empty!(failed_extensions)
    foreach(load_extension, again)
end
"""
    Base.get_extension(parent, name::Symbol)

The module of the extension `name` of the package `parent`; `nothing` unless it is loaded.
"""
get_extension(parent::Module, name::Symbol) = get_extension(PkgId(moduleroot(parent)), name)
function get_extension(parent::PkgId, name::Symbol)
    id = get(extension_ids, (parent, name), nothing)
    id === nothing ? nothing : get(loaded_modules, id, nothing)
end
loadable_extensions(pkg::PkgId) = [it[2] for it in keys(extension_ids) if it[1] == pkg]
