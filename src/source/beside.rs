//! The files that are next to the document of a skill.

use super::exclude::Rules;
use super::pattern::Pattern;
use super::place::RootFolder;
use super::skills::FILE;
use super::walk;
use super::wall::Obstacle;
use crate::world::World;

/// The files in `dir`, a folder inside `folder`, and below it, as paths inside of `dir`, in byte order; hidden ones and the
/// skill's document are none of them.
///
/// # Errors
/// When there are more than 2,000, a link leaves the root, or a folder cannot be read.
pub fn files(world: &dyn World, folder: &RootFolder, dir: &str) -> Result<Vec<String>, Obstacle> {
    let all = Pattern::parse("**/*")?;
    let hits = walk::glob(
        folder.world(world),
        &folder.folder,
        &all,
        &Rules::none(),
        dir,
    )?;
    let inside = |path: &str| match dir {
        "" => Some(path.to_owned()),
        dir => Some(path.strip_prefix(dir)?.strip_prefix('/')?.to_owned()),
    };
    let paths = hits.iter().filter_map(|hit| inside(&hit.path));
    Ok(paths.filter(|path| path != FILE).collect())
}
