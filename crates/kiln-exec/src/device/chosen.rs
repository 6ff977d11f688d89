//! The device that kernels run on, and how a kernel is configured for it.

use super::opened::{DeviceChoice, OpenDevice};
use crate::config::{KernelConfig, KernelOptions, dialect_tables};
use crate::env::{ExecEnv, Executor};
use crate::imitation;
use crate::launch_table::{ConfigId, DeviceId};
use kiln_compile::TargetError;
use kiln_launch::DeviceError;
use kiln_runtime::KernelDevice;
use kiln_targets::{Items, TargetFacts};

/// Returns the device for kernels. Code for a named processor runs on this one, unless it is for devices as well.
/// Where an image is built nothing runs, and no device is asked for.
pub fn device_choice(exec: &Executor) -> DeviceChoice {
    let is_for_cpu = exec.options.is_target_named && !has_device_images(exec);
    match exec.options.device {
        _ if exec.collects() || exec.options.imitated.is_some() => DeviceChoice::Cpu,
        DeviceChoice::Auto if is_for_cpu => DeviceChoice::Cpu,
        choice @ (DeviceChoice::Auto
        | DeviceChoice::Cpu
        | DeviceChoice::Cuda(_)
        | DeviceChoice::OpenCl(_)) => choice,
    }
}

/// Whether images have code for devices.
fn has_device_images(exec: &Executor) -> bool {
    exec.compiler.images.devices.read().iter().any(|it| it.items == Items::Device)
}

/// Returns the device of a choice, opened if it is asked for the first time.
///
/// # Errors
/// Why it cannot be used.
pub fn open_device(exec: &Executor, choice: DeviceChoice) -> Result<DeviceId, DeviceError> {
    match choice {
        DeviceChoice::Auto => Ok(default_device(exec)),
        DeviceChoice::Cpu | DeviceChoice::Cuda(_) | DeviceChoice::OpenCl(_) => exec.devices.open(choice),
    }
}

/// Returns the device that kernels run on of which nothing else is said.
#[inline]
pub fn default_device(exec: &Executor) -> DeviceId {
    exec.devices.default_or(|| choose_device(exec))
}

fn choose_device(exec: &Executor) -> DeviceId {
    let choice = match device_choice(exec) {
        DeviceChoice::Auto if kiln_launch::has_cuda_device() => DeviceChoice::Cuda(0),
        DeviceChoice::Auto => return DeviceId::CPU,
        choice @ (DeviceChoice::Cpu | DeviceChoice::Cuda(_) | DeviceChoice::OpenCl(_)) => choice,
    };
    open_device(exec, choice).unwrap_or_else(|why| {
        let why = format!("kernels run on this machine's processor: {why}");
        exec.compiler.warn("device-unavailable", why);
        DeviceId::CPU
    })
}

/// Whether kernels run on a device with memory of its own, so that arrays on it are for kernels alone. Where an image is built
/// for such devices the program does what it does on one: what it launches there is compiled.
pub fn has_own_memory(exec: &Executor) -> bool {
    let is_built_for_one =
        exec.collects() && exec.options.image_devices.iter().any(|it| it.items == Items::Device);
    is_built_for_one
        || exec.devices.get(default_device(exec)).is_some_and(|it| it.device.limits().memory_bytes > 0)
}

/// Returns the default device as programs may ask about it.
///
/// # Errors
/// When the system does not say how many cores there are.
pub fn device_facts(exec: &Executor) -> Result<KernelDevice, DeviceError> {
    let Some(open) = exec.devices.get(default_device(exec)) else {
        let options = &exec.compiler.options;
        let plain = KernelDevice {
            name: "CPU".into(),
            target: options.facts.name.clone(),
            items_max: 1024,
            compute_units: exec.devices.cpu(options.threads)?.workers(),
            shared_bytes: 48 << 10,
            shared_bytes_max: 48 << 10,
            memory_bytes: 0,
            subgroup_items: imitation::LANES,
        };
        return Ok(exec
            .options
            .imitated
            .as_ref()
            .map_or_else(|| plain.clone(), |it| imitation::described(it, &plain)));
    };
    let limits = open.device.limits();
    Ok(KernelDevice {
        name: open.device.name().to_owned(),
        target: open.device.target().to_owned(),
        items_max: limits.items_max,
        compute_units: limits.compute_units.into(),
        shared_bytes: limits.shared_bytes_max,
        shared_bytes_max: limits.shared_bytes_max,
        memory_bytes: limits.memory_bytes,
        subgroup_items: limits.subgroup_items.into(),
    })
}

/// Returns a device's name, and the target it runs code of.
pub fn device_name(exec: &Executor, device: DeviceId) -> (String, String) {
    match exec.devices.get(device) {
        Some(it) => (it.device.name().to_owned(), it.facts.name.clone()),
        None => {
            let imitated = exec.options.imitated.as_ref();
            let name = "this machine's processor".to_owned();
            let name = imitated.map_or(name.clone(), |it| format!("{name}, imitating {}", it.target));
            (name, exec.compiler.options.facts.name.clone())
        }
    }
}

/// Returns how what is configured so is compiled for the device it runs on, and that device: the one that is asked for, unless
/// the configuration names a target of processors. Allocates nothing for a configuration that has been seen.
///
/// # Errors
/// When there is no such target.
pub fn config_on(
    env: &ExecEnv<'_>,
    config: ConfigId,
    device: DeviceId,
) -> Result<(ConfigId, DeviceId), TargetError> {
    let exec = env.exec;
    let Some(open) = exec.devices.get(device) else { return Ok((config, DeviceId::CPU)) };
    if env.config(config).options.target.is_some() {
        let is_cpu = exec.configs.target(config).items == Items::Loops;
        return Ok((config, if is_cpu { DeviceId::CPU } else { device }));
    }
    let known = exec.configs.on_devices(config);
    if let Some((_, (_, found))) = known.iter().find(|it| it.1.0 == device) {
        return Ok((*found, device));
    }
    let made = config_unless_told(env, config, &target_on(exec, open))?;
    known.push((device, made));
    Ok((made, device))
}

/// Returns the target to compile for on a device: its own, or, if an image has no code for that, the image's target that fits
/// best.
fn target_on(exec: &Executor, open: &OpenDevice) -> TargetFacts {
    let imaged = exec.compiler.images.devices.read().clone();
    let ranked = imaged.iter().filter_map(|it| Some((kiln_targets::fit(it, &open.facts)?, it)));
    let best = ranked.max_by_key(|it| it.0).map(|it| it.1.clone());
    best.unwrap_or_else(|| open.facts.clone())
}

/// Returns how what is configured so is compiled for a target, unless it is for one already.
///
/// # Errors
/// When there is no such target.
pub(crate) fn config_unless_told(
    env: &ExecEnv<'_>,
    config: ConfigId,
    facts: &TargetFacts,
) -> Result<ConfigId, TargetError> {
    let is_for_one = env.config(config).options.target.is_some();
    if is_for_one { Ok(config) } else { config_for(env, Some(config), facts) }
}

/// Returns how what is configured so, or of which nothing is said, is compiled for a target.
///
/// # Errors
/// When there is no such target.
pub fn config_for(
    env: &ExecEnv<'_>,
    config: Option<ConfigId>,
    facts: &TargetFacts,
) -> Result<ConfigId, TargetError> {
    let (rt, exec) = (env.rt, env.exec);
    let plain = || KernelConfig { method_tables: dialect_tables(rt), options: KernelOptions::default() };
    let given = config.map_or_else(plain, |it| env.config(it).clone());
    let target = Some(rt.types.symbol(&facts.name));
    let options = KernelOptions { target, ..given.options };
    exec.configs.intern(rt, &exec.compiler, &given.method_tables, &options)
}
