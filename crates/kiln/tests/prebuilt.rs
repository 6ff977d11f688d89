//! Kernels of images that run without Julia, in the process that built the image.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::LaunchSize;
use kiln::image::{ImagePlan, build_image};
use kiln::prebuilt::{Array, ErrorKind, Image};
use std::path::PathBuf;

const PROGRAM: &str = "\
using CUDA, KernelAbstractions
function saxpy!(y, a, x)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    i <= length(y) && (y[i] += a * x[i])
    return
end
function kinds!(y, a, b, c, t)
    y[1] = a + b + Int(c) + t[1] * t[2]
    return
end
function reverse!(y)
    shared = CuStaticSharedArray(Float64, 64)
    i = threadIdx().x
    shared[i] = y[i]
    sync_threads()
    y[i] = shared[65 - i]
    return
end
waves!(y) = (i = threadIdx().x; y[i] = sin(y[i]) + rem(y[i], 0.3); return)
@kernel function fill_index!(y)
    i, j = @index(Global, NTuple)
    y[i, j] = 10i + j
end
chatty!(y) = (@cuprintln(\"hello\"); return)
";

/// An image of the program with these kernels.
fn image(name: &str, exports: &[&str]) -> Result<PathBuf, kiln::Error> {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("prebuilt-{name}"));
    std::fs::create_dir_all(&dir).unwrap();
    let (file, out) = (dir.join("program.jl"), dir.join("program.kimg"));
    std::fs::write(&file, PROGRAM).unwrap();
    let mut plan = ImagePlan::new(file.display().to_string(), &out);
    plan.exports = exports.iter().map(|it| (*it).to_owned()).collect();
    let report = build_image(&plan, &mut |_| ())?;
    assert_eq!(report.exported, exports.len());
    Ok(out)
}

/// Numbers, tuples, arrays, shared memory with barriers, functions of the C library, and a kernel of KernelAbstractions.
#[test]
fn exported_kernels_run() {
    let exports = [
        "saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})",
        "kinds!(CuDeviceVector{Float64,1}, Int8, Int128, Bool, NTuple{2,Int16})",
        "reverse!(CuDeviceVector{Float64,1})",
        "waves!(CuDeviceVector{Float64,1})",
        "fill_index!(CuDeviceMatrix{Int64,1})",
    ];
    let image = Image::open(image("kinds", &exports).unwrap()).unwrap();
    assert_eq!(image.kernels().count(), exports.len());

    let saxpy = image.kernel::<(&mut Array<f32, 1>, f32, &Array<f32, 1>)>("saxpy!").unwrap();
    let (mut y, x) = (Array::from_slice(&[1.0; 5000]), Array::from_slice(&[2.0; 5000]));
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut y = Array::from_slice(&[0.0; 5000]);
            saxpy.launch(LaunchSize::cover(5000), (&mut y, 1.0, &x)).unwrap();
            y.to_vec()
        });
        saxpy.launch(LaunchSize::cover(5000), (&mut y, 3.0, &x)).unwrap();
        assert_eq!(other.join().unwrap(), [2.0; 5000]);
    });
    assert_eq!(y.to_vec(), [7.0; 5000]);

    let kinds = image.kernel::<(&mut Array<f64, 1>, i8, i128, bool, [i16; 2])>("kinds!").unwrap();
    let mut y = Array::zeros([1]);
    kinds.launch((1, 1), (&mut y, -5, 1 << 40, true, [300, 2])).unwrap();
    assert_eq!(y.to_vec(), [-4.0 + 600.0 + (1u64 << 40) as f64]);

    let reverse = image.kernel::<(&mut Array<f64, 1>,)>("reverse!").unwrap();
    let numbers: Vec<f64> = (0..64).map(f64::from).collect();
    let mut y = Array::from_slice(&numbers);
    reverse.launch((1, 64), (&mut y,)).unwrap();
    assert!(y.to_vec().iter().rev().eq(&numbers));

    let waves = image.kernel::<(&mut Array<f64, 1>,)>("waves!").unwrap();
    let mut y = Array::from_slice(&[0.5, 1.0]);
    waves.launch((1, 2), (&mut y,)).unwrap();
    assert!((y.to_vec()[0] - (0.5f64.sin() + 0.5 % 0.3)).abs() < 1e-15);

    let fill = image.kernel::<(&mut Array<i64, 2>,)>("fill_index!").unwrap();
    let mut y = Array::zeros([3, 2]);
    fill.launch(LaunchSize::cover_in_groups([3, 2, 1], [2, 2, 1]), (&mut y,)).unwrap();
    assert_eq!(y.to_vec(), [11, 21, 31, 12, 22, 32]);
}

/// A kernel is found for the types that it was exported for, and no others; a failing item is told by place.
#[test]
fn misuses_are_errors() {
    let image = image("misuses", &["saxpy!(CuDeviceVector{Float32,1}, Float32, CuDeviceVector{Float32,1})"]);
    let image = Image::open(image.unwrap()).unwrap();
    let kind = |it: Result<(), kiln::prebuilt::Error>| it.unwrap_err().kind;
    assert_eq!(kind(image.kernel::<()>("missing").map(drop)), ErrorKind::Kernel);
    type Wide<'a> = (&'a mut Array<f64, 1>, f64, &'a Array<f64, 1>);
    assert_eq!(kind(image.kernel::<Wide<'_>>("saxpy!").map(drop)), ErrorKind::Kernel);
    type Matrix<'a> = (&'a mut Array<f32, 2>, f32, &'a Array<f32, 1>);
    assert_eq!(kind(image.kernel::<Matrix<'_>>("saxpy!").map(drop)), ErrorKind::Kernel);
    assert_eq!(kind(image.kernel::<(f32,)>("saxpy!").map(drop)), ErrorKind::Kernel);

    let saxpy = image.kernel::<(&mut Array<f32, 1>, f32, &Array<f32, 1>)>("saxpy!").unwrap();
    let (mut y, x) = (Array::from_slice(&[1.0; 8]), Array::from_slice(&[2.0; 4]));
    let error = saxpy.launch((1, 8), (&mut y, 3.0, &x)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Item);
    assert!(error.frames.iter().any(|it| it.line == 4 && it.file.ends_with("program.jl")), "{error}");
    assert_eq!(y.to_vec()[..4], [7.0; 4], "the other items have run");
    let too_many = LaunchSize::new([usize::MAX, 1, 1], [1, 1, 1]);
    assert_eq!(kind(saxpy.launch(too_many, (&mut y, 3.0, &x))), ErrorKind::Arguments);
    let shared = LaunchSize::cover(8).with_shared_bytes(1 << 20);
    assert_eq!(kind(saxpy.launch(shared, (&mut y, 3.0, &x))), ErrorKind::Arguments);
}

/// What cannot run alone is refused when the image is built; an image without exported kernels when it is opened.
#[test]
fn kernels_that_cannot_run_alone_are_refused() {
    let refused = image("chatty", &["chatty!(CuDeviceVector{Float32,1})"]).unwrap_err();
    assert_eq!(refused.kind, kiln::ErrorKind::Limit);
    assert!(refused.message.contains("prints"), "{refused}");
    let damaged = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("prebuilt-damaged.kimg");
    let mut bytes = std::fs::read(image("whole", &["waves!(CuDeviceVector{Float64,1})"]).unwrap()).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&damaged, bytes).unwrap();
    assert_eq!(Image::open(&damaged).unwrap_err().kind, ErrorKind::Image);
}
