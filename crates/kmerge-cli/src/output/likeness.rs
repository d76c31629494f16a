//! What a file hands down to the one that replaces it: owner, group, mode bits, access control list and attributes.
//!
//! Invariant: nobody may read or write the new file who could not read or write the old one. Ignores: times, and the other names
//! (hard links) of the old file, which keep its content.

use std::fs::File;
use std::io;

/// Makes `new`, which only its owner can read so far, as accessible as `old`; where that cannot be done, less.
#[cfg(unix)]
pub(super) fn give(new: &File, old: &File) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    const SET_USER: u32 = 0o4000;
    const SET_GROUP: u32 = 0o2000;

    let (was, is) = (old.metadata()?, new.metadata()?);
    let mut mode = was.mode() & 0o7777;
    let keeps_owner = was.uid() == is.uid() || fchown(new, Some(was.uid()), None).is_ok();
    let keeps_group = was.gid() == is.gid() || fchown(new, None, Some(was.gid())).is_ok();
    if !keeps_owner {
        mode &= !SET_USER;
    }
    if !attributes(new, old) || !keeps_group {
        // The bits of the group now say what people may do who could do no more than all others.
        mode = mode & !(SET_GROUP | 0o070) | (mode & 0o007) << 3;
    }
    new.set_permissions(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(super) fn give(new: &File, old: &File) -> io::Result<()> {
    new.set_permissions(old.metadata()?.permissions())
}

/// Copies the attributes that a user has set; whether the access control list, if there is one, is among them. Those of the
/// system are left out: they are signatures of the old content, or not for copying.
#[cfg(unix)]
fn attributes(new: &File, old: &File) -> bool {
    use xattr::FileExt as _;
    const ACCESS: &str = "system.posix_acl_access";
    const LABEL: &str = "security.selinux";

    // A file system that cannot list attributes has none.
    let names = old.list_xattr().into_iter().flatten();
    names.fold(true, |keeps_access, name| {
        let shown = name.to_string_lossy();
        if shown != ACCESS && shown != LABEL && !shown.starts_with("user.") {
            return keeps_access;
        }
        let value = old.get_xattr(&name).ok().flatten();
        let is_copied = value.is_none_or(|value| new.set_xattr(&name, &value).is_ok());
        keeps_access && (is_copied || shown != ACCESS)
    })
}
