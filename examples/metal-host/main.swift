// Runs the kernel of axpy.jl from a Metal library that `kiln compile` wrote. Not run by kiln's developers: they have no Mac.
import Foundation
import Metal

let arguments = CommandLine.arguments
guard arguments.count == 3, let device = MTLCreateSystemDefaultDevice(), let queue = device.makeCommandQueue() else {
    fatalError("usage: main LIBRARY KERNEL, on a Mac with a GPU")
}
// The container is checked here, and the module where the pipeline is made.
let library = try device.makeLibrary(URL: URL(fileURLWithPath: arguments[1]))
let pipeline = try device.makeComputePipelineState(function: library.makeFunction(name: arguments[2])!)

// A vector of kiln: the address of its elements, its size, and its number of elements.
struct Vector {
    var elements: UInt64
    var size: Int64
    var length: Int64
}
let count = 960
func vector(_ value: (Int) -> Float) -> (MTLBuffer, Vector) {
    let buffer = device.makeBuffer(bytes: (0..<count).map(value), length: 4 * count, options: .storageModeShared)!
    return (buffer, Vector(elements: buffer.gpuAddress, size: Int64(count), length: Int64(count)))
}
// The launch record: zeros, but for the numbers of the group and the item that failed, which no item has yet.
let recordBytes = 576
let record = device.makeBuffer(length: recordBytes, options: .storageModeShared)!

// Buffers have the numbers of the parameters in axpy.json: the record, y, a, x.
func launch(groups: Int) throws -> (Float, UInt32) {
    memset(record.contents(), 0, recordBytes)
    memset(record.contents() + 8, 0xff, 48)
    var (y, yVector) = vector { _ in 0 }
    var (x, xVector) = vector { Float($0) }
    var a: Float = 2
    let commands = queue.makeCommandBuffer()!
    let encoder = commands.makeComputeCommandEncoder()!
    encoder.setComputePipelineState(pipeline)
    encoder.setBuffer(record, offset: 0, index: 0)
    encoder.setBytes(&yVector, length: MemoryLayout<Vector>.size, index: 1)
    encoder.setBytes(&a, length: 4, index: 2)
    encoder.setBytes(&xVector, length: MemoryLayout<Vector>.size, index: 3)
    // Memory that is named inside of arguments has to be made resident.
    encoder.useResources([x, y], usage: [.read, .write])
    encoder.dispatchThreadgroups(MTLSize(width: groups, height: 1, depth: 1),
                                 threadsPerThreadgroup: MTLSize(width: 64, height: 1, depth: 1))
    encoder.endEncoding()
    commands.commit()
    commands.waitUntilCompleted()
    if let error = commands.error { throw error }
    let results = y.contents().bindMemory(to: Float.self, capacity: count)
    let site = record.contents().load(as: UInt32.self)
    return ((0..<count).reduce(0) { $0 + results[$1] }, site)
}

print("sum and site:", try launch(groups: count / 64)) // 920640.0, 0
print("sum and site:", try launch(groups: count / 64 + 1)) // the site of the bounds error, whose line is in axpy.json
