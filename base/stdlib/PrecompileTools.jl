# Workloads that are run to compile what they call. A program that is merely run does not run them; `kiln image build` does.
module PrecompileTools

export @setup_workload, @compile_workload, @recompile_invalidations

const verbose = Ref(false)

macro setup_workload(ex)
    esc(:(Base.building_image() && (let
        $ex
    end; nothing)))
end
macro compile_workload(ex)
    esc(:(Base.building_image() && (begin
        $ex
    end; nothing)))
end
macro recompile_invalidations(ex)
    esc(ex)
end

end
