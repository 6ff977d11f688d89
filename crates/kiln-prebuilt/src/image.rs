//! Images with kernels that run without Julia.

use crate::error::{Error, ErrorKind};
use crate::kernel::Kernel;
use crate::record::PrebuiltKernel;
use crate::{KernelArgs, trusted};
use kiln_launch::CpuDevice;
use kiln_link::Linker;
use kiln_targets::{rank, runs_here};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// An image with kernels that were exported when it was built.
///
/// ```no_run
/// use kiln_prebuilt::{Array, Image, LaunchSize};
///
/// # fn main() -> Result<(), kiln_prebuilt::Error> {
/// let image = Image::open("saxpy.kimg")?;
/// let saxpy = image.kernel::<(&mut Array<f32, 1>, f32, &Array<f32, 1>)>("saxpy!")?;
/// let (mut y, x) = (Array::from_slice(&[1.0; 1000]), Array::from_slice(&[2.0; 1000]));
/// saxpy.launch(LaunchSize::cover(1000), (&mut y, 3.0, &x))?;
/// assert_eq!(y.to_vec(), [7.0; 1000]);
/// # Ok(())
/// # }
/// ```
pub struct Image {
    kernels: Vec<PrebuiltKernel>,
    machine: Arc<Machine>,
}

/// The processor, and the memory that code runs from.
pub(crate) struct Machine {
    pub(crate) device: CpuDevice,
    linker: Arc<Linker>,
}

impl Image {
    /// Opens an image.
    ///
    /// # Errors
    /// When the file is no image, is damaged, or has no exported kernels for this machine.
    ///
    /// ```
    /// assert!(kiln_prebuilt::Image::open("no/such/file.kimg").is_err());
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let refused = |why: &dyn fmt::Display| {
            Error::new(ErrorKind::Image, format!("{} cannot be used: {why}", path.display()))
        };
        let image = kiln_cache::ImageFile::open(path).map_err(|it| refused(&it))?;
        let entries = image.entries().filter(|it| PrebuiltKernel::is_one(&it.0));
        let kernels = entries.map(|it| PrebuiltKernel::from_entry(&it.1)).collect::<Result<Vec<_>, _>>();
        let mut kernels = kernels.map_err(|_| refused(&"a kernel in it is of another version"))?;
        kernels.retain(|it| runs_here(&it.target));
        if kernels.is_empty() {
            return Err(refused(&"no kernel was exported to it that runs on this machine"));
        }
        // The best for this machine first.
        kernels.sort_by_key(|it| std::cmp::Reverse(rank(&it.target)));
        let device = CpuDevice::new(0).map_err(|it| refused(&it))?;
        let linker = Arc::new(Linker::new().map_err(|it| refused(&it))?);
        Ok(Self { kernels, machine: Arc::new(Machine { device, linker }) })
    }

    /// Returns the kernels: names, and Julia types of the arguments.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), kiln_prebuilt::Error> {
    /// for (name, types) in kiln_prebuilt::Image::open("saxpy.kimg")?.kernels() {
    ///     println!("{name}({})", types.join(", "));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn kernels(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.kernels.iter().map(|it| (it.name.as_str(), it.args.iter().map(|it| it.0.as_str()).collect()))
    }

    /// Finds a kernel by its name and the types of its arguments, and links it.
    ///
    /// # Errors
    /// When the image has none, or it cannot be linked.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), kiln_prebuilt::Error> {
    /// let image = kiln_prebuilt::Image::open("saxpy.kimg")?;
    /// assert!(image.kernel::<(f32,)>("saxpy!").is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn kernel<A: KernelArgs>(&self, name: &str) -> Result<Kernel<A>, Error> {
        let mut named = self.kernels.iter().filter(|it| it.name == name).peekable();
        if named.peek().is_none() {
            return Err(Error::new(ErrorKind::Kernel, format!("the image has no kernel `{name}`")));
        }
        let wanted = A::julia();
        let Some(found) = named.find(|it| fits(it, &wanted)) else {
            let wanted: Vec<String> = wanted.into_iter().map(|it| it.0).collect();
            let wanted = wanted.join(", ");
            let message = format!("the image has no kernel `{name}` for arguments of ({wanted})");
            return Err(Error::new(ErrorKind::Kernel, message));
        };
        let linked = trusted::link(&self.machine.linker, found);
        let unlinked = |why: &dyn fmt::Display| {
            Error::new(ErrorKind::Kernel, format!("`{name}` cannot be linked: {why}"))
        };
        let code = linked.map_err(|it| unlinked(&it))?.ok_or_else(|| unlinked(&"it has no entry"))?;
        Ok(Kernel::new(self.machine.clone(), code, found))
    }
}

/// Whether a kernel takes arguments of these types, after the context of a launch if it has one.
fn fits(kernel: &PrebuiltKernel, wanted: &[(String, usize)]) -> bool {
    // What has no size is not passed.
    let wanted = wanted.iter().filter(|it| it.1 > 0);
    let given = kernel.args.iter().skip(usize::from(crate::kernel::context_rank(kernel).is_some()));
    given.clone().count() == wanted.clone().count()
        && given.zip(wanted).all(|(has, (ty, size))| {
            without_modules(&has.0) == *ty && has.1.size as usize == *size && in_block(kernel, has)
        })
}

fn in_block(kernel: &PrebuiltKernel, (_, place): &(String, kiln_unit::OperandPlace)) -> bool {
    place.offset.checked_add(place.size).is_some_and(|it| it <= kernel.args_bytes)
}

/// Returns the name of a type without its module.
pub(crate) fn without_modules(ty: &str) -> &str {
    let own = ty.find('{').unwrap_or(ty.len());
    ty[..own].rfind('.').map_or(ty, |at| &ty[at + 1..])
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image").field("kernels", &self.kernels.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_loses_its_own_modules() {
        assert_eq!(without_modules("Base.Device.DeviceArray{Float32, 1, 1}"), "DeviceArray{Float32, 1, 1}");
        assert_eq!(without_modules("Float32"), "Float32");
        assert_eq!(without_modules("Tuple{A.B}"), "Tuple{A.B}");
    }
}
