# What kiln knows of this dialect: see `Base.Device.register_dialect`.
Kernels.register_dialect((;
    home = Metal,
    method_table,
    printing = "`@mtlprintln`, `@mtlprint` or `@mtlprintf` of Metal",
    printing_parts = "`@mtlprintln` of Metal",
    group_memory = "`MtlThreadGroupArray(T, dims)`",
    array_examples = ("MtlDeviceVector{Float32,1}", "MtlDeviceMatrix{Float32,1}"),
    arrays = "MtlArray",
    launchers = "@metal",
    rows = :Metal,
    row_names = ("MtlDeviceArray", "MtlDeviceVector", "MtlDeviceMatrix")))
