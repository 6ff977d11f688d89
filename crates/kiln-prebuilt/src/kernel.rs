//! Prebuilt kernels and their launches.

use crate::error::{Error, ErrorKind, Frame};
use crate::image::{Machine, without_modules};
use crate::record::{PrebuiltKernel, PrebuiltSite};
use crate::{KernelArgs, trusted};
use kiln_launch::{CpuKernel, Failure, Grid, SHARED_BYTES_MAX, Together};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// The default number of items of a group.
const GROUP_ITEMS: usize = 256;
/// Blocks of arguments are aligned to this.
const BLOCK_ALIGN: usize = 16;

/// The number of items of a launch, and how they are grouped.
///
/// ```
/// use kiln_prebuilt::LaunchSize;
///
/// assert_eq!(LaunchSize::cover(1000).grid(), LaunchSize::new([4, 1, 1], [256, 1, 1]).grid());
/// let size: LaunchSize = (4, 256).into();
/// assert_eq!(size.grid().items, [256, 1, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchSize {
    grid: Grid,
    /// Items that have work, in each dimension, where not all have.
    range: Option<[i64; 3]>,
}

impl LaunchSize {
    /// So many groups in each dimension, and items of each group.
    ///
    /// ```
    /// let size = kiln_prebuilt::LaunchSize::new([8, 8, 1], [16, 16, 1]);
    /// assert_eq!(size.grid().groups, [8, 8, 1]);
    /// ```
    pub fn new(groups: [usize; 3], items: [usize; 3]) -> Self {
        let [groups, items] = [groups, items].map(|it| it.map(|it| i64::try_from(it).unwrap_or(i64::MAX)));
        Grid { groups, items, dynamic_shared_bytes: 0, together: Together::NONE }.into()
    }

    /// Groups of 256 items that have at least `count` together: the kernel checks that an item has work. For a kernel of
    /// KernelAbstractions this is the `ndrange`, and it need not check.
    ///
    /// ```
    /// assert_eq!(kiln_prebuilt::LaunchSize::cover(257).grid().groups, [2, 1, 1]);
    /// ```
    pub fn cover(count: usize) -> Self {
        Self::cover_in_groups([count, 1, 1], [GROUP_ITEMS, 1, 1])
    }

    /// Groups of this size that have at least so many items in each dimension.
    ///
    /// ```
    /// let size = kiln_prebuilt::LaunchSize::cover_in_groups([100, 50, 1], [16, 16, 1]);
    /// assert_eq!(size.grid().groups, [7, 4, 1]);
    /// ```
    pub fn cover_in_groups(range: [usize; 3], items: [usize; 3]) -> Self {
        let groups = [0, 1, 2].map(|at| range[at].div_ceil(items[at].max(1)));
        let range = range.map(|it| i64::try_from(it).unwrap_or(i64::MAX));
        Self { range: Some(range), ..Self::new(groups, items) }
    }

    /// Adds dynamic shared memory of a group.
    ///
    /// ```
    /// let size = kiln_prebuilt::LaunchSize::cover(100).with_shared_bytes(1024);
    /// assert_eq!(size.grid().dynamic_shared_bytes, 1024);
    /// ```
    pub fn with_shared_bytes(mut self, bytes: usize) -> Self {
        self.grid.dynamic_shared_bytes = bytes;
        self
    }

    /// Returns the groups and their items.
    ///
    /// ```
    /// assert_eq!(kiln_prebuilt::LaunchSize::from((2, 32)).grid().groups, [2, 1, 1]);
    /// ```
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Returns the number of items that have work, in each dimension.
    ///
    /// ```
    /// assert_eq!(kiln_prebuilt::LaunchSize::cover(1000).range(), [1000, 1, 1]);
    /// ```
    pub fn range(&self) -> [i64; 3] {
        let all = || [0, 1, 2].map(|at| self.grid.groups[at].saturating_mul(self.grid.items[at]));
        self.range.unwrap_or_else(all)
    }
}

impl From<Grid> for LaunchSize {
    fn from(grid: Grid) -> Self {
        Self { grid, range: None }
    }
}

/// Groups, and items of a group.
impl From<(usize, usize)> for LaunchSize {
    fn from((groups, items): (usize, usize)) -> Self {
        Self::new([groups, 1, 1], [items, 1, 1])
    }
}

/// A kernel for arguments of the types `A`. Threads may share it, and launch it at the same time.
///
/// ```no_run
/// # fn main() -> Result<(), kiln_prebuilt::Error> {
/// let image = kiln_prebuilt::Image::open("steps.kimg")?;
/// let step: kiln_prebuilt::Kernel<(f32, f32)> = image.kernel("step!")?;
/// step.launch((1, 1), (0.5, 1.0))?;
/// # Ok(())
/// # }
/// ```
pub struct Kernel<A> {
    machine: Arc<Machine>,
    code: CpuKernel,
    name: String,
    /// Offset and size of each argument in the block.
    places: Vec<(usize, usize)>,
    args_bytes: usize,
    shared_bytes: usize,
    /// The place of the context of a launch of KernelAbstractions, and its number of dimensions.
    context: Option<(usize, usize)>,
    sites: Vec<PrebuiltSite>,
    args: PhantomData<fn(A)>,
}

/// The number of dimensions of the context that a kernel takes first, if it does: `Context{2, ...}`.
pub(crate) fn context_rank(kernel: &PrebuiltKernel) -> Option<usize> {
    let (ty, place) = kernel.args.first()?;
    let rank = without_modules(ty).strip_prefix("Context{")?.split(',').next()?.trim().parse().ok()?;
    // `ndrange`, the items of a group, and the groups: an integer a dimension each.
    let fits =
        place.size as usize == 3 * 8 * rank && place.offset.checked_add(place.size)? <= kernel.args_bytes;
    (fits && rank <= 3).then_some(rank)
}

impl<A: KernelArgs> Kernel<A> {
    pub(crate) fn new(machine: Arc<Machine>, code: CpuKernel, kernel: &PrebuiltKernel) -> Self {
        let rank = context_rank(kernel);
        let place = |at: usize| (kernel.args[at].1.offset as usize, kernel.args[at].1.size as usize);
        let first = usize::from(rank.is_some());
        // One a type: what has no size has no place in the block.
        let mut passed = (first..kernel.args.len()).map(place);
        let types = A::julia();
        let places = types.iter().map(|it| if it.1 == 0 { Some((0, 0)) } else { passed.next() });
        Self {
            machine,
            code,
            name: kernel.name.clone(),
            places: places.flatten().collect(),
            args_bytes: kernel.args_bytes as usize,
            shared_bytes: kernel.shared_bytes as usize,
            context: rank.map(|it| (place(0).0, it)),
            sites: kernel.sites.clone(),
            args: PhantomData,
        }
    }

    /// Runs the kernel on this machine's processor and waits for it.
    ///
    /// # Errors
    /// When the launch has too many items; when an item failed: the others have run.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), kiln_prebuilt::Error> {
    /// use kiln_prebuilt::{Array, Image, LaunchSize};
    /// let clear = Image::open("clear.kimg")?.kernel::<(&mut Array<u8, 1>,)>("clear!")?;
    /// clear.launch(LaunchSize::cover(3), (&mut Array::from_slice(&[1, 2, 3]),))?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn launch(&self, size: impl Into<LaunchSize>, args: A::Given<'_>) -> Result<(), Error> {
        let size = size.into();
        let grid = size.grid();
        self.check(&grid)?;
        let mut block = vec![0; self.args_bytes + BLOCK_ALIGN];
        let start = block.as_ptr().align_offset(BLOCK_ALIGN).min(BLOCK_ALIGN);
        let block = &mut block[start..start + self.args_bytes];
        if let Some((at, rank)) = self.context {
            let parts = [size.range(), grid.items, grid.groups];
            let words = parts.iter().flat_map(|it| &it[..rank]);
            for (to, word) in block[at..].chunks_exact_mut(8).zip(words) {
                to.copy_from_slice(&word.to_le_bytes());
            }
        }
        let (device, places) = (&self.machine.device, &self.places[..]);
        let done = trusted::launch_checked::<A>(device, &self.code, &grid, (places, block), &args);
        done.map_err(|it| self.failed(&it))
    }

    fn check(&self, grid: &Grid) -> Result<(), Error> {
        let sizes = [grid.groups, grid.items];
        let too_many = sizes.as_flattened().iter().any(|it| *it > i64::from(i32::MAX))
            || sizes.iter().any(|it| it.iter().try_fold(1i64, |a, b| a.checked_mul(*b)).is_none());
        if too_many {
            return Err(Error::new(ErrorKind::Arguments, "a launch with too many groups or items"));
        }
        if grid.dynamic_shared_bytes.saturating_add(self.shared_bytes) > SHARED_BYTES_MAX {
            let message =
                format!("a launch with more than {SHARED_BYTES_MAX} bytes of shared memory of a group");
            return Err(Error::new(ErrorKind::Arguments, message));
        }
        Ok(())
    }

    fn failed(&self, failure: &Failure) -> Error {
        let site = (failure.site as usize).checked_sub(1).and_then(|it| self.sites.get(it));
        let what = site.map_or("an exception", |it| it.what.as_str());
        let frames: Vec<Frame> = site.iter().flat_map(|it| &it.frames).map(frame).collect();
        let from_one = |it: [i64; 3]| format!("({}, {}, {})", it[0] + 1, it[1] + 1, it[2] + 1);
        let (item, group) = (from_one(failure.local_id), from_one(failure.group_id));
        let mut message = format!("{what} in `{}`, work-item {item} of group {group}", self.name);
        for it in &frames {
            message.push_str(&format!("\n  in {} at {}:{}", it.function, it.file, it.line));
        }
        Error { frames, ..Error::new(ErrorKind::Item, message) }
    }
}

fn frame((function, file, line): &(String, String, u32)) -> Frame {
    Frame { function: function.clone(), file: file.clone(), line: *line }
}

impl<A> fmt::Debug for Kernel<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name).finish_non_exhaustive()
    }
}
