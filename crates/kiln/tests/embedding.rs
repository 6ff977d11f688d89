//! The typed interface: kernels, arrays, values, errors and threads. Done as a program that embeds kiln would.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use kiln::internals::SessionInternals as _;
use kiln::{DeviceArray, DeviceSlice, ErrorKind, LaunchSize, Module, Session, SessionOptions};
use kiln_runtime::collecting;
use kiln_runtime::heap::allocation;
use std::sync::Barrier;

const PROGRAM: &str = "\
using CUDA, KernelAbstractions
function saxpy!(y, a, x)
    i = threadIdx().x + (blockIdx().x - 1) * blockDim().x
    i <= length(y) && (y[i] += a * x[i])
    return
end
function scale!(y, a)
    i = threadIdx().x
    y[i] *= a
    return
end
function transpose!(b, a)
    i, j = threadIdx().x, threadIdx().y
    b[j, i] = a[i, j]
    return
end
function all_kinds!(y, a, b, c, d, e, f, g, h, t)
    y[1] = a + b + c + d + e + f + g + Int(h) + t[1] + t[2]
    return
end
identity!(y, x) = (y[1] = x; return)
dynamic!(y) = (y[1] = Base.inferencebarrier(y)[1]; return)
@kernel function fill_index!(y)
    i, j = @index(Global, NTuple)
    y[i, j] = 10i + j
end
";

fn program() -> Module {
    Session::new(SessionOptions::new()).unwrap().load_text("program.jl", PROGRAM).unwrap()
}

/// Slices go in and out, and a kernel may be launched again and again, also after the last text was evaluated.
#[test]
fn slices_go_in_and_out() {
    let module = program();
    let session = module.session();
    let saxpy = module.kernel::<(&mut DeviceSlice<f32>, f32, &DeviceSlice<f32>)>("saxpy!").unwrap();
    let (mut y, x) = (session.array_from(&[1.0; 1000]).unwrap(), session.array_from(&[2.0; 1000]).unwrap());
    for round in 1..=3 {
        saxpy.launch(LaunchSize::cover(1000), (&mut y, 3.0, &x)).unwrap();
        collecting::collect(session.runtime());
        assert_eq!(y.to_vec().unwrap(), vec![1.0 + 6.0 * round as f32; 1000]);
    }
    let mut host = vec![0.0; 1000];
    x.copy_to(&mut host).unwrap();
    assert_eq!(host, [2.0; 1000]);
}

/// Every type of numbers, tuples and arrays of several ranks.
#[test]
fn arguments_are_what_they_were() {
    let module = program();
    let session = module.session();
    type Kinds<'a> = (&'a mut DeviceSlice<f64>, i8, u16, i32, u64, isize, f32, f64, bool, [i16; 2]);
    let all = module.kernel::<Kinds<'_>>("all_kinds!").unwrap();
    let mut y = session.zeros([1]).unwrap();
    all.launch((1, 1), (&mut y, -1, 2, 3, 4, 5, 0.5, 0.25, true, [100, 200])).unwrap();
    assert_eq!(y.to_vec().unwrap(), [314.75]);
    let wide = module.kernel::<(&mut DeviceSlice<i128>, i128)>("identity!").unwrap();
    let mut y = session.zeros([1]).unwrap();
    wide.launch((1, 1), (&mut y, i128::MIN + 7)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [i128::MIN + 7]);
    let flags = module.kernel::<(&mut DeviceSlice<bool>, bool)>("identity!").unwrap();
    let mut y = session.array_from(&[false]).unwrap();
    flags.launch((1, 1), (&mut y, true)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [true]);
    type Matrix = DeviceArray<i32, 2>;
    let transpose = module.kernel::<(&mut Matrix, &Matrix)>("transpose!").unwrap();
    let a = session.array_with_shape(&[1, 2, 3, 4, 5, 6], [2, 3]).unwrap();
    let mut b = session.zeros([3, 2]).unwrap();
    transpose.launch(LaunchSize::new([1, 1, 1], [2, 3, 1]), (&mut b, &a)).unwrap();
    assert_eq!(b.to_vec().unwrap(), [1, 3, 5, 2, 4, 6]);
}

/// The `ndrange` of a kernel of KernelAbstractions is the range of the launch, whatever its groups.
#[test]
fn kernels_of_kernel_abstractions_are_launched() {
    let module = program();
    let fill = module.kernel::<(&mut DeviceArray<i64, 2>,)>("fill_index!").unwrap();
    let mut y = module.session().zeros([3, 2]).unwrap();
    fill.launch(LaunchSize::cover_in_groups([3, 2, 1], [2, 2, 1]), (&mut y,)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [11, 21, 31, 12, 22, 32]);
}

/// A kernel sees a definition that was made after it was found; a launch of a warm one compiles nothing.
#[test]
fn a_kernel_follows_definitions() {
    let module = program();
    let session = module.session();
    let scale = module.kernel::<(&mut DeviceSlice<f64>, f64)>("scale!").unwrap();
    let mut y = session.array_from(&[1.0]).unwrap();
    scale.launch((1, 1), (&mut y, 2.0)).unwrap();
    let before = session.timings();
    scale.launch((1, 1), (&mut y, 2.0)).unwrap();
    let spent = session.timings().since(&before);
    assert_eq!((spent.inferences, spent.compiles, spent.kernels_launched), (0, 0, 1));
    module.run_text("more.jl", "scale!(y, a) = (y[1] = 10a; return)").unwrap();
    scale.launch((1, 1), (&mut y, 2.0)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [20.0]);
}

/// What went wrong has a kind, a code and places.
#[test]
fn errors_have_places() {
    let module = program();
    let session = module.session();
    let missing = module.kernel::<(f32,)>("scal!").unwrap_err();
    assert_eq!((missing.kind, &*missing.code), (ErrorKind::Usage, "undefined-name"));
    assert!(missing.message.contains("did you mean `scale!`?"), "{missing}");

    let refused = module.kernel::<(&mut DeviceSlice<f32>,)>("dynamic!").unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Program);
    let place = refused.diagnostics[0].place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line), ("program.jl", 22));
    assert_eq!(refused.code, refused.diagnostics[0].code);

    let scale = module.kernel::<(&mut DeviceSlice<f64>, f64)>("scale!").unwrap();
    let mut y = session.array_from(&[1.0]).unwrap();
    let thrown = scale.launch((1, 2), (&mut y, 2.0)).unwrap_err();
    assert_eq!((thrown.kind, &*thrown.code), (ErrorKind::Program, "bounds-error"));
    assert_eq!(thrown.diagnostics[0].place.as_ref().unwrap().line, 9);
    // The other item has run, and the next launch is none the worse.
    scale.launch((1, 1), (&mut y, 2.0)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [4.0]);

    let syntax = session.run_text("half.jl", "x = 1\ny = (2").unwrap_err();
    let place = syntax.diagnostics[0].place.clone().unwrap();
    assert_eq!(place.file, "half.jl");
    assert!(syntax.code.starts_with("syntax/"), "{}", syntax.code);
}

/// Launches that make no sense are errors.
#[test]
fn launches_are_checked() {
    let module = program();
    let session = module.session();
    let scale = module.kernel::<(&mut DeviceSlice<f64>, f64)>("scale!").unwrap();
    let other = Session::new(SessionOptions::new()).unwrap();
    let mut y = other.array_from(&[1.0]).unwrap();
    assert_eq!(scale.launch((1, 1), (&mut y, 2.0)).unwrap_err().code, "other-session");
    let mut y = session.array_from(&[1.0]).unwrap();
    let size = LaunchSize::new([usize::MAX, 1, 1], [1, 1, 1]);
    assert!(scale.launch(size, (&mut y, 2.0)).is_err());
    assert!(scale.launch(LaunchSize::from((1, 1)).with_shared_bytes(1 << 30), (&mut y, 2.0)).is_err());
    scale.launch((0, 1), (&mut y, 2.0)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [1.0]);
    assert!(session.array_with_shape(&[1, 2, 3], [2]).unwrap_err().is_usage());
    assert_eq!(session.zeros::<f64, 2>([usize::MAX, 2]).unwrap_err().kind, ErrorKind::Limit);
    assert_eq!(session.zeros::<u8, 1>([1 << 62]).unwrap_err().kind, ErrorKind::Limit);
}

/// A launch of raw values is compared with the job: values of other types, or too few, are refused.
#[test]
fn raw_launches_are_compared_with_the_job() {
    let module = program();
    let session = module.session();
    session.run_text("args.jl", "args = map(cudaconvert, (CUDA.ones(4), 2.0f0))").unwrap();
    let config = session.kernel_config("(; method_tables = (CUDA.method_table,))").unwrap();
    let (scale, args) = (session.evaluate("scale!").unwrap(), session.evaluate("args").unwrap());
    let args = session.elements(args);
    let kernel = session.kernel(&session.kernel_job(scale, &args, config)).unwrap();
    let grid =
        kiln::Grid { groups: [1; 3], items: [1; 3], dynamic_shared_bytes: 0, together: kiln::Together::NONE };
    session.launch(kernel, &grid, scale, &args).unwrap();
    let wide = session.evaluate("2.0").unwrap();
    for wrong in [vec![args[0]], vec![args[0], wide], vec![args[1], args[0]], vec![args[0], args[1], wide]] {
        let error = session.launch(kernel, &grid, scale, &wrong).unwrap_err();
        assert_eq!(error.code, "argument-error", "{error}");
    }
    let other = session.evaluate("identity!").unwrap();
    assert!(session.launch(kernel, &grid, other, &args).is_err());
}

/// Threads compile different kernels of one session at the same time and launch them, while another evaluates Julia code.
#[test]
fn threads_share_a_session() {
    let module = program();
    let session = module.session();
    let start = Barrier::new(3);
    std::thread::scope(|scope| {
        let saxpy = scope.spawn(|| {
            start.wait();
            type Args<'a> = (&'a mut DeviceSlice<f32>, f32, &'a DeviceSlice<f32>);
            let saxpy = module.kernel::<Args<'_>>("saxpy!").unwrap();
            let (mut y, x) =
                (session.array_from(&[1.0; 64]).unwrap(), session.array_from(&[2.0; 64]).unwrap());
            for _ in 0..50 {
                saxpy.launch((1, 64), (&mut y, 0.5, &x)).unwrap();
            }
            y.to_vec().unwrap()
        });
        let scale = scope.spawn(|| {
            start.wait();
            let scale = module.kernel::<(&mut DeviceSlice<f64>, f64)>("scale!").unwrap();
            let mut y = session.array_from(&[1.0; 64]).unwrap();
            for _ in 0..50 {
                scale.launch((1, 64), (&mut y, 2.0)).unwrap();
                // One item more than there are elements: an exception is made in this thread.
                assert_eq!(scale.launch((1, 65), (&mut y, 0.5)).unwrap_err().code, "bounds-error");
                scale.launch((1, 64), (&mut y, 2.0)).unwrap();
            }
            y.to_vec().unwrap()
        });
        start.wait();
        for n in 0..50 {
            session.run_text("meanwhile.jl", &format!("meanwhile(x) = x + {n}\nmeanwhile(1)")).unwrap();
            allocation::stats(&session.runtime().heap);
        }
        assert_eq!(saxpy.join().unwrap(), [51.0; 64]);
        assert_eq!(scale.join().unwrap(), [2f64.powi(50); 64]);
    });
    assert_eq!(session.eval("meanwhile(1)").unwrap().as_i64(), Some(50));
}

/// Values are kept alive by their handles, and no longer.
#[test]
fn values_are_rooted() {
    let session = Session::new(SessionOptions::new()).unwrap();
    let words = session.eval("[string(i) for i in 1:1000]").unwrap();
    let join = session.eval("join").unwrap();
    let expected = join.call(&[&words]).unwrap().as_str().unwrap();
    collecting::collect(session.runtime());
    session.eval("sum(length(string(i)) for i in 1:100_000)").unwrap();
    assert_eq!(join.call(&[&words.clone()]).unwrap().as_str().unwrap(), expected);
    let live = allocation::stats(&session.runtime().heap).live_bytes;
    drop(words);
    collecting::collect(session.runtime());
    assert!(allocation::stats(&session.runtime().heap).live_bytes < live);
    let thrown = session.eval("() -> error(\"no\")").unwrap().call(&[]).unwrap_err();
    assert!(thrown.message.contains("no"), "{thrown}");
}

/// A session ends with the last of its handles, whichever that is.
#[test]
fn a_session_lives_as_long_as_its_handles() {
    let (kernel, mut y) = {
        let module = program();
        let kernel = module.kernel::<(&mut DeviceSlice<f64>, f64)>("scale!").unwrap();
        (kernel, module.session().array_from(&[2.0]).unwrap())
    };
    kernel.clone().launch((1, 1), (&mut y, 4.0)).unwrap();
    drop(kernel);
    assert_eq!(y.to_vec().unwrap(), [8.0]);
}

/// An isolated session reads files; it changes none, and starts no process.
#[test]
fn isolated_sessions_change_nothing() {
    let session = Session::new(SessionOptions::new().isolated(true)).unwrap();
    let path = std::env::temp_dir().join(format!("kiln-isolated-{}", std::process::id()));
    std::fs::write(&path, "kept\n").unwrap();
    let name = path.display();
    assert!(
        session.eval(&format!("read({name:?}, String) == readline({name:?}) * '\\n' || error()")).is_ok()
    );
    for attempt in [
        format!("open({name:?}, \"w\")"),
        format!("open({name:?}, \"a\")"),
        format!("open({name:?}, \"r+\")"),
        format!("write({name:?}, \"changed\")"),
        format!("rm({name:?})"),
        format!("run(`rm {name}`)"),
        format!("run(pipeline(`echo x`, {name:?}))"),
        "read(`echo x`)".into(),
        "open(`cat`, \"r+\")".into(),
        "run(pipeline(`echo x`, `cat`))".into(),
        "redirect_stdout()".into(),
    ] {
        assert!(session.eval(&attempt).is_err(), "{attempt}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "kept\n");
    std::fs::remove_file(path).unwrap();
}
