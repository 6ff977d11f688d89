//! Runs a kernel that `kiln compile -t spirv64` wrote: `opencl-host MODULE NAME`.
//!
//! The kernel is `axpy!(y, a, x)` with vectors of `Float32`. Its parameters, in this order: the address of the launch record
//! (null: failures are not reported), the vector `y` by value, the number `a`, the vector `x` by value.

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device, get_all_devices};
use opencl3::error_codes::ClError;
use opencl3::kernel::{CL_KERNEL_EXEC_INFO_SVM_PTRS, ExecuteKernel, Kernel, set_kernel_exec_info};
use opencl3::memory::{CL_MAP_READ, CL_MAP_WRITE};
use opencl3::program::Program;
use opencl3::svm::SvmVec;
use std::error::Error;
use std::ffi::c_void;

/// A vector as kernels take it: `CuDeviceVector{Float32,1}` is an address, a size and the number of elements.
#[repr(C)]
#[derive(Clone, Copy)]
struct DeviceVector {
    elements: *mut f32,
    size: i64,
    length: i64,
}

/// The record of the first failing item: the number of the site, counted from 1, and the item's number.
#[repr(C)]
#[derive(Clone, Copy)]
struct LaunchRecord {
    site: u32,
    launch: u32,
    group: [i64; 3],
    item: [i64; 3],
    operands: [u8; 448],
    seed: u64,
    frame_count: u32,
    frames: [u32; 15],
}

impl LaunchRecord {
    const EMPTY: Self = Self {
        site: 0,
        launch: 0,
        group: [-1; 3],
        item: [-1; 3],
        operands: [0; 448],
        seed: 0,
        frame_count: 0,
        frames: [0; 15],
    };
}

/// The driver's objects that a kernel needs.
struct Machine {
    context: Context,
    queue: CommandQueue,
    kernel: Kernel,
}

impl Machine {
    fn open(module: &[u8], name: &str) -> Result<Self, Box<dyn Error>> {
        let device = *get_all_devices(CL_DEVICE_TYPE_ALL)?.first().ok_or("no device")?;
        let context = Context::from_device(&Device::new(device))?;
        let queue = CommandQueue::create_default_with_properties(&context, 0, 0)?;
        let mut program = Program::create_from_il(&context, module)?;
        program.build(context.devices(), "")?;
        let kernel = Kernel::create(&program, name)?;
        Ok(Self { context, queue, kernel })
    }

    /// `y = a * x + y` for this many items; what the record says then.
    fn axpy(
        &self,
        y: &mut SvmVec<'_, f32>,
        a: f32,
        x: &mut SvmVec<'_, f32>,
        items: usize,
    ) -> Result<LaunchRecord, Box<dyn Error>> {
        let mut record = self.shared(std::iter::once(LaunchRecord::EMPTY), 1)?;
        // Memory of the system's the kernel reaches anyway.
        let is_listed = !y.is_fine_grain_system();
        let of = |it: &mut SvmVec<'_, f32>| DeviceVector {
            elements: it.as_mut_ptr(),
            size: it.len() as i64,
            length: it.len() as i64,
        };
        let (y, x) = (of(y), of(x));
        // The driver does not look into what is passed by value: it is told which memory the kernel reaches.
        let reached: [*const c_void; 2] = [y.elements.cast(), x.elements.cast()];
        // SAFETY: the list is of as many bytes as it says; the arguments are those that the kernel was compiled for, and what
        // they point to outlives the launch, which is waited for.
        unsafe {
            if is_listed {
                let (list, bytes) = (reached.as_ptr().cast(), size_of_val(&reached));
                set_kernel_exec_info(self.kernel.get(), CL_KERNEL_EXEC_INFO_SVM_PTRS, bytes, list)
                    .map_err(ClError)?;
            }
            let launch = ExecuteKernel::new(&self.kernel)
                .set_arg_svm(record.as_mut_ptr())
                .set_arg(&y)
                .set_arg(&a)
                .set_arg(&x)
                .set_global_work_size(items)
                .set_local_work_size(items.min(64))
                .enqueue_nd_range(&self.queue)?;
            launch.wait()?;
        }
        self.map(&mut record)?;
        let read = record[0];
        self.unmap(&record)?;
        Ok(read)
    }

    /// Lets the host touch memory of both.
    fn map<T>(&self, memory: &mut SvmVec<'_, T>) -> Result<(), Box<dyn Error>> {
        if !memory.is_fine_grained() {
            // SAFETY: nothing that uses the memory is in the queue.
            unsafe { self.queue.enqueue_svm_map(1, CL_MAP_READ | CL_MAP_WRITE, memory, &[])? };
        }
        Ok(())
    }

    fn unmap<T>(&self, memory: &SvmVec<'_, T>) -> Result<(), Box<dyn Error>> {
        if !memory.is_fine_grained() {
            // SAFETY: it was mapped by this queue.
            unsafe { self.queue.enqueue_svm_unmap(memory, &[])?.wait()? };
        }
        Ok(())
    }

    /// Memory of both, with these values.
    fn shared<T>(
        &self,
        values: impl Iterator<Item = T>,
        length: usize,
    ) -> Result<SvmVec<'_, T>, Box<dyn Error>> {
        let mut shared = SvmVec::<T>::allocate(&self.context, length)?;
        self.map(&mut shared)?;
        shared.iter_mut().zip(values).for_each(|(place, value)| *place = value);
        self.unmap(&shared)?;
        Ok(shared)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, module, name] = &args[..] else { return Err("opencl-host MODULE NAME".into()) };
    let machine = Machine::open(&std::fs::read(module)?, name)?;
    const LENGTH: usize = 960;
    let mut x = machine.shared((0..LENGTH).map(|it| it as f32), LENGTH)?;
    let mut y = machine.shared(std::iter::repeat(1.0), LENGTH)?;

    let record = machine.axpy(&mut y, 2.0, &mut x, LENGTH)?;
    machine.map(&mut y)?;
    println!("sum {}, site {}", y.iter().map(|it| f64::from(*it)).sum::<f64>(), record.site);
    machine.unmap(&y)?;

    let record = machine.axpy(&mut y, 2.0, &mut x, 1024)?;
    let number = 64 * record.group[0] + record.item[0] + 1;
    println!("site {}: item {number} of {LENGTH}", record.site);
    Ok(())
}
