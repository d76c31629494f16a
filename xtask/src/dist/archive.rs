//! Archives whose bytes follow from their members: sorted, one owner, one time.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};

/// A file of an archive.
pub(super) struct Member {
    path: String,
    content: Vec<u8>,
    mode: u32,
}

impl Member {
    pub(super) fn text(path: &str, content: String) -> Self {
        Self { path: path.to_owned(), content: content.into_bytes(), mode: 0o644 }
    }

    pub(super) fn program(name: &OsStr, content: Vec<u8>) -> Self {
        Self { path: name.to_string_lossy().into_owned(), content, mode: 0o755 }
    }

    /// Writes the file to its path below a directory.
    pub(super) fn write_below(&self, directory: &Path) -> std::io::Result<()> {
        let path = directory.join(&self.path);
        std::fs::create_dir_all(path.parent().unwrap_or(directory))?;
        std::fs::write(&path, &self.content)?;
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(self.mode))?;
        Ok(())
    }
}

/// The archive, with all members below one directory.
pub(super) fn pack(directory: &str, mut members: Vec<Member>, time: u64) -> std::io::Result<Vec<u8>> {
    members.sort_by(|a, b| a.path.cmp(&b.path));
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for member in members {
        let mut header = Header::new_ustar();
        header.set_size(member.content.len() as u64);
        header.set_mode(member.mode);
        header.set_mtime(time);
        archive.append_data(&mut header, format!("{directory}/{}", member.path), member.content.as_slice())?;
    }
    let mut packed = archive.into_inner()?;
    packed.flush()?;
    packed.finish()
}

#[cfg(test)]
mod tests {
    use super::{Member, pack};

    #[test]
    fn the_order_of_members_makes_no_difference() {
        let members = |names: [&str; 2]| names.map(|name| Member::text(name, format!("{name}\n"))).into();
        let [one, other] = [["a", "b"], ["b", "a"]].map(|names| pack("d", members(names), 7).expect("packed"));
        assert_eq!(one, other);
        assert_ne!(one, pack("d", members(["a", "b"]), 8).expect("packed"));
    }
}
