# Files that packages download: kiln reads their lists and where they would lie, and downloads nothing.
module Artifacts

using TOML
export artifact_exists, artifact_path, artifact_meta, artifact_hash, select_downloadable_artifacts, find_artifacts_toml,
    @artifact_str, artifact_slash_lookup

const artifact_names = ("JuliaArtifacts.toml", "Artifacts.toml")

"""
    find_artifacts_toml(path)

The list of artifacts for a package's file, in its folder or above it, up to that of its project; `nothing` if there is none.
"""
function find_artifacts_toml(path::String)
    folder = isdir(path) ? path : dirname(path)
    while true
        for name in artifact_names
            found = joinpath(folder, name)
            isfile(found) && return abspath(found)
        end
        any(name -> isfile(joinpath(folder, name)), Base.project_names) && return nothing
        above = dirname(folder)
        above == folder && return nothing
        folder = above
    end
end
load_artifacts_toml(path::String; kws...) = isfile(path) ? TOML.parsefile(path) : Dict{String, Any}()
artifacts_dirs(parts...) = [abspath(joinpath(depot, "artifacts", parts...)) for depot in Base.DEPOT_PATH]
hash_text(hash::Base.SHA1) = bytes2hex(hash.bytes)
"""
    artifact_path(hash)

The folder of an artifact: the one that is there, or the first depot's.
"""
function artifact_path(hash::Base.SHA1; honor_overrides::Bool = true)
    places = artifacts_dirs(hash_text(hash))
    k = findfirst(isdir, places)
    k === nothing ? isempty(places) ? throw(ArgumentError("there is no depot")) : first(places) : places[k]
end
artifact_exists(hash::Base.SHA1; honor_overrides::Bool = true) = any(isdir, artifacts_dirs(hash_text(hash)))
Base.@lacked artifact_meta artifact_hash select_downloadable_artifacts artifact_slash_lookup unpack_platform
macro artifact_str(name, platform = nothing)
    :(throw(Base.UnsupportedError(:artifact, string("kiln downloads no artifacts: ", $(esc(name))))))
end

end
