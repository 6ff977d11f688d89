//! The processor as another device: the limits of launches, and the answers for programs that ask.
//!
//! Dialects check launches first where their package has a message of its own. Kernels are compiled as for the processor.

use crate::failure::kernel_error;
use crate::kernel::Kernel;
use kiln_compile::{Program, diagnostics};
use kiln_launch::Grid;
use kiln_runtime::{KernelDevice, Run, Runtime};
use kiln_targets::DeviceModel;

/// Items that run in step on the processor, unless the device that it imitates has more.
pub(crate) const LANES: u64 = 32;

/// Returns the processor as the imitated device describes itself.
pub(crate) fn described(model: &DeviceModel, cpu: &KernelDevice) -> KernelDevice {
    KernelDevice {
        name: format!("{} imitated by CPU", model.target),
        target: model.target.clone(),
        items_max: model.items_max.into(),
        shared_bytes: model.launched_shared_bytes.into(),
        shared_bytes_max: model.shared_bytes_max.into(),
        subgroup_items: model.lanes.into(),
        ..cpu.clone()
    }
}

/// Fails if the device could not run a launch.
pub(crate) fn check(rt: &Runtime, model: &DeviceModel, kernel: &Kernel, grid: &Grid) -> Run<()> {
    check_sizes(model, grid).map_err(|it| rt.error(&it.message(&model.target)))?;
    let target = &model.target;
    let own = own_shared_bytes(&kernel.program);
    if own > model.static_shared_bytes {
        let (name, max) = (rt.types.name(kernel.name), model.static_shared_bytes);
        let larger = diagnostics::memory_of_launch(rt);
        let text = format!(
            "`{name}` has {own} bytes of static shared memory, where a group of {target} has {max}: {larger} may be larger"
        );
        return Err(kernel_error(rt, &text));
    }
    let (shared, max) = (grid.dynamic_shared_bytes.saturating_add(own as usize), model.shared_bytes_max);
    if shared > max as usize {
        let text =
            format!("a launch with {shared} bytes of shared memory for a group, where {target} has {max}");
        return Err(rt.error(&text));
    }
    Ok(())
}

/// A size of a launch that the device does not take.
#[derive(Debug, PartialEq, Eq)]
enum LaunchLimit {
    /// Items of a group.
    Items(i64, u32),
    /// Items of a group, or groups, in a dimension from 1.
    InDimension(&'static str, usize, i64, u32),
}

impl LaunchLimit {
    fn message(&self, target: &str) -> String {
        match self {
            Self::Items(items, most) => {
                format!("a group of {items} items, where {target} has at most {most}")
            }
            Self::InDimension(what, dimension, size, most) => {
                format!("{size} {what} in dimension {dimension}, where {target} has at most {most}")
            }
        }
    }
}

fn check_sizes(model: &DeviceModel, grid: &Grid) -> Result<(), LaunchLimit> {
    let items: i64 = grid.items.iter().product();
    if items > i64::from(model.items_max) {
        return Err(LaunchLimit::Items(items, model.items_max));
    }
    let sides = [("items", grid.items, model.items_max_in), ("groups", grid.groups, model.groups_max_in)];
    for (what, sizes, most) in sides {
        for (at, (size, most)) in sizes.into_iter().zip(most).enumerate() {
            if size > i64::from(most) {
                return Err(LaunchLimit::InDimension(what, at + 1, size, most));
            }
        }
    }
    Ok(())
}

/// The shared memory of a kernel's own code: lanes exchange values through more of it, for which GPUs have instructions.
fn own_shared_bytes(program: &Program) -> u32 {
    program.units().map(|it| it.body.link.shared_bytes - it.body.link.lane_bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_launch::Together;

    /// The product of a group's sizes is bounded, and each size by itself.
    #[test]
    fn sizes_are_bounded_by_the_model() {
        let model = kiln_targets::lookup("sm_80").and_then(|it| it.device_model()).expect("a GPU");
        let check = |groups, items| {
            check_sizes(&model, &Grid { groups, items, dynamic_shared_bytes: 0, together: Together::NONE })
        };
        assert_eq!(check([65536, 1, 1], [1024, 1, 1]), Ok(()));
        assert_eq!(check([1; 3], [32, 64, 1]), Err(LaunchLimit::Items(2048, 1024)));
        let depth = LaunchLimit::InDimension("items", 3, 128, 64);
        assert_eq!(depth.message("sm_80"), "128 items in dimension 3, where sm_80 has at most 64");
        assert_eq!(check([1; 3], [1, 1, 128]), Err(depth));
        assert_eq!(check([1, 65536, 1], [1; 3]), Err(LaunchLimit::InDimension("groups", 2, 65536, 65535)));
    }
}
