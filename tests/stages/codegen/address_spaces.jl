# Arrays of a device are in global memory and static shared arrays in shared memory: every access says so.
using CUDA
function through_shared!(y)
    tile = CuStaticSharedArray(Float32, 32)
    i = threadIdx().x
    @inbounds tile[i] = y[i]
    sync_threads()
    @inbounds y[i] = tile[33 - i]
    return
end

#: native sm_90 'through_shared!(CuDeviceVector{Float32,1})'
#: check: .shared .align
#: check: ld.global
#: check: st.shared
#: check: bar.sync
#: check: ld.shared
#: check: st.global
