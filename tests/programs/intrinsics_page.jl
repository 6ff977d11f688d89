# `docs/intrinsics.md` is what the tables say (MISSION G). `kiln run tests/programs/intrinsics_page.jl write` writes it.
using CUDA, AMDGPU, Test

const PAGE = joinpath(@__DIR__, "..", "..", "docs", "intrinsics.md")
ARGS == ["write"] && write(PAGE, Base.DeviceIntrinsics.page())
@test read(PAGE, String) == Base.DeviceIntrinsics.page()
# Every table is in a chapter, and rows name what is defined.
@test all(row -> any(chapter -> row.table in chapter.second, Base.DeviceIntrinsics.BACK_ENDS), Base.DeviceIntrinsics.ROWS)
named(row) = [match(r"`(\w+)\.([\w.@!]+?)`", it.match).captures for it in eachmatch(r"`(?:CUDA|AMDGPU)\.[\w!]+`", row.names)]
for row in Base.DeviceIntrinsics.ROWS, (home, name) in named(row)
    @test isdefined(getglobal(Main, Symbol(home)), Symbol(name))
end
