# A dense layer with bias and softmax, its loss, and the gradient of the loss: whole arrays on the device.
using CUDA, LinearAlgebra, Random, Statistics, Test

function softmax(z; dims = 1)
    e = exp.(z .- maximum(z; dims))
    return e ./ sum(e; dims)
end

layer(w, b, x) = softmax(w * x .+ b)
cross_entropy(p, y) = -sum(y .* log.(p)) / size(p, 2)
onehot(labels, classes) = (1:classes) .== reshape(labels, 1, :)

Random.seed!(1)
features, classes, batch = 128, 10, 512
w = randn(Float32, classes, features) ./ 8
b = randn(Float32, classes)
x = randn(Float32, features, batch)
labels = rand(1:classes, batch)

dw, db, dx, dlabels = CuArray(w), CuArray(b), CuArray(x), CuArray(labels)
y = Float32.(onehot(dlabels, classes))
p = layer(dw, db, dx)
@test p isa CuArray{Float32,2}
@test all(isapprox.(sum(p; dims = 1), 1; atol = 1f-5))
@test Array(p) ≈ layer(w, b, x)

before = cross_entropy(p, y)
@test before ≈ cross_entropy(layer(w, b, x), onehot(labels, classes))
for step in 1:20
    g = (layer(dw, db, dx) .- y) ./ batch           # of the loss by w * x .+ b
    dw .-= g * dx'
    db .-= vec(sum(g; dims = 2))
end
p = layer(dw, db, dx)
after = cross_entropy(p, y)
@test after < 0.7f0 * before

guesses = vec(map(i -> i[1], argmax(p; dims = 1)))
println("softmax: loss ", before, " -> ", after, ", accuracy ", mean(guesses .== dlabels))
