//! Typed code of calls, as it is kept or as it would be inferred afresh.

use crate::error::InspectError;
use crate::views::device_view;
use kiln_compile::{View, code_instance};
use kiln_exec::{ExecEnv, host_view};
use kiln_runtime::tables::{CacheOwner, CodeInstance, TableId};
use kiln_types::Type;
use std::sync::Arc;

/// The result kept for calls with these argument types, the function's first; made now if there is none. On a device,
/// with these overlay tables, or else on the host.
///
/// # Errors
/// When no method takes the arguments, or there is no typed body.
pub fn typed(
    env: &ExecEnv<'_>,
    types: &[Type],
    device: Option<&[TableId]>,
) -> Result<Arc<CodeInstance>, InspectError> {
    typed_by(env, types, device.map_or_else(|| host_view(env.rt, env.exec), |it| device_view(env, it)))
}

/// The same, sharing nothing with results made before, other than under the same `owner`: what to compare with.
///
/// # Errors
/// As [`typed`].
pub fn typed_afresh(
    env: &ExecEnv<'_>,
    types: &[Type],
    device: Option<&[TableId]>,
    owner: CacheOwner,
) -> Result<Arc<CodeInstance>, InspectError> {
    let view = device.map_or_else(|| host_view(env.rt, env.exec), |it| device_view(env, it));
    typed_by(env, types, View { owner, ..view })
}

fn typed_by(env: &ExecEnv<'_>, types: &[Type], view: View) -> Result<Arc<CodeInstance>, InspectError> {
    let rt = env.rt;
    let instance = rt.tables.dispatch_in(view.id(rt), types, view.world);
    let instance = instance.map_err(|_| InspectError::NoMethod)?;
    Ok(code_instance(&env.stages(&view), instance)?)
}
