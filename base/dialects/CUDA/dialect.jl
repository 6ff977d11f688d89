# What kiln knows of this dialect: see `Base.Device.register_dialect`.
Device.register_dialect((;
    home = CUDA,
    method_table,
    printing = "`@cuprintln`, `@cuprint`, `@cushow` or `@cuprintf` of CUDA",
    printing_parts = "`@cuprintln` of CUDA",
    group_memory = "`CuStaticSharedArray(T, dims)`",
    launched_memory = "`CuDynamicSharedArray`, `shmem=`",
    array_examples = ("CuDeviceVector{Float32,1}", "CuDeviceMatrix{Float32,1}"),
    arrays = "CuArray",
    launchers = "@cuda",
    rows = :CUDA,
    row_names = ("CuDeviceArray", "CuDeviceVector", "CuDeviceMatrix")))
