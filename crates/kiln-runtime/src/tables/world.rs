//! World ages: every definition makes a new world, and every result holds in a range of worlds.

/// A world age. Code runs in one world and sees the definitions of that world and of earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct World(u64);

impl World {
    /// The world of an empty session.
    pub const FIRST: World = World(1);
    /// Later than every world: the end of a range that has not been closed.
    pub const MAX: World = World(u64::MAX);

    /// The world of this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }
    /// Its number.
    pub const fn number(self) -> u64 {
        self.0
    }
    /// Returns the next world.
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
    /// Returns the previous world.
    pub const fn previous(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

/// Consecutive worlds, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WorldRange {
    /// The first world.
    pub min: World,
    /// The last one; [`World::MAX`] while it still holds.
    pub max: World,
}

impl WorldRange {
    /// Every world.
    pub const ALL: WorldRange = WorldRange { min: World::FIRST, max: World::MAX };

    /// From `min` on.
    pub const fn since(min: World) -> Self {
        Self { min, max: World::MAX }
    }
    /// Whether `world` is in it.
    pub fn contains(self, world: World) -> bool {
        self.min <= world && world <= self.max
    }
    /// Returns the worlds in both. Empty (`min > max`) when there are none.
    #[must_use]
    pub fn intersect(self, other: WorldRange) -> WorldRange {
        WorldRange { min: self.min.max(other.min), max: self.max.min(other.max) }
    }
    /// The largest part of it that contains `world` and leaves out the worlds of `other`, which does not
    /// contain `world`.
    #[must_use]
    pub fn without(self, other: WorldRange, world: World) -> WorldRange {
        if other.max < world {
            WorldRange { min: self.min.max(other.max.next()), max: self.max }
        } else {
            WorldRange { min: self.min, max: self.max.min(other.min.previous()) }
        }
    }
    /// Whether no world is in it.
    pub fn is_empty(self) -> bool {
        self.min > self.max
    }
}
