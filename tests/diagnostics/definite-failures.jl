# A kernel that can only fail is an error, guarded by an index or not; a failure that data decides is a warning.
using CUDA
ambiguous(x, y::Integer) = 1
ambiguous(x::Integer, y) = 2
inner(x) = x * "2"
middle(x) = inner(x) + 1
launch(k) = try @cuda k(CUDA.zeros(Float32, 4)) catch error; showerror(stderr, error); println(stderr) end
guarded!(o) = (i = threadIdx().x; if i <= length(o); o[i] = sin("a"); end; return)
conversion!(o) = (o[1] = "abc"; return)
missing_name!(o) = (o[1] = Base._not_there(o); return)
ambiguous!(o) = (o[1] = ambiguous(1, 2); return)
through!(o) = (o[1] = middle(o[1]); return)
on_data!(o) = (o[1] > 3 && (o[1] = cos("a")); return)
member!(o) = (x = o[1] > 3 ? nothing : o[1]; o[1] = x + 1; return)
foreach(launch, (guarded!, conversion!, missing_name!, ambiguous!, through!, on_data!, member!))
exit(1)
