# What kiln knows of this dialect: see `Base.Device.register_dialect`.
Kernels.register_dialect((;
    home = AMDGPU,
    method_table,
    printing = "`@rocprintln`, `@rocprint` or `@rocprintf` of AMDGPU",
    printing_parts = "`@rocprintln` of AMDGPU",
    group_memory = "`@ROCStaticLocalArray(T, dims)`",
    launched_memory = "`@ROCDynamicLocalArray`, `shmem=`",
    array_examples = ("ROCDeviceVector{Float32,1}", "ROCDeviceMatrix{Float32,1}"),
    arrays = "ROCArray",
    launchers = "@roc",
    rows = :AMDGPU,
    row_names = ("ROCDeviceArray", "ROCDeviceVector", "ROCDeviceMatrix")))
