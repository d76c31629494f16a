//! Renames that not every system and file system has: an error of the kind `Unsupported` says so, and nothing has happened.

use std::io::{ErrorKind, Result};

use super::At;

/// What a rename does beside that.
#[derive(Clone, Copy)]
pub(super) enum Flag {
    /// The two names change places.
    Exchange,
    /// Nothing may stand under the new name.
    NoReplace,
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn rename_with(flag: Flag, from: At<'_>, to: At<'_>) -> Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;
    let flags = match flag {
        Flag::Exchange => RenameFlags::EXCHANGE,
        Flag::NoReplace => RenameFlags::NOREPLACE,
    };
    match renameat_with(&from.dir.0.handle, from.name, &to.dir.0.handle, to.name, flags) {
        // What file systems and kernels say that do not know the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Err(ErrorKind::Unsupported.into()),
        done => Ok(done?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn rename_with(_: Flag, _: At<'_>, _: At<'_>) -> Result<()> {
    Err(ErrorKind::Unsupported.into())
}
