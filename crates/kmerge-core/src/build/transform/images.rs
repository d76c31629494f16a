//! `images`: new names, tags and digests for images.
//!
//! Images are in every list `containers` or `initContainers` at any depth, and in the fields of the table. The name in
//! the kustomization is a regular expression, as in kustomize.

use super::{TransformError, Transformer, Written};
use crate::build::fields::{Missing, table, visit};
use crate::build::kustomization::{KustomizationError, KustomizationErrorKind};
use crate::build::pattern::Pattern;
use crate::build::scalar_text;
use crate::resource::Resource;
use crate::value::{Data, Value};

/// Which image to change, and how.
#[derive(Clone, Debug)]
pub(in crate::build) struct Image {
    pattern: Pattern,
    new_name: String,
    new_tag: String,
    tag_suffix: String,
    digest: String,
}

const FIELDS: [&str; 5] = ["name", "newName", "newTag", "tagSuffix", "digest"];
/// The text that may follow the name of an image.
const TAG_AND_DIGEST: &str = "(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?";
/// The lists of containers that are searched at any depth.
const LISTS: [&str; 2] = ["containers", "initContainers"];

pub(super) fn read(part: Written<'_>, field: &'static str) -> Result<Vec<Transformer>, KustomizationError> {
    part.items(field)?.into_iter().map(|item| item_of(item).map(Transformer::Image)).collect()
}

fn item_of(item: Written<'_>) -> Result<Image, KustomizationError> {
    item.only("an item of images", &FIELDS)?;
    let text = |name| item.field(name).map_or_else(|| Ok(String::new()), |part| part.text(name));
    let name = text("name")?;
    let pattern = Pattern::new(&name).and_then(|_| Pattern::new(&format!("{name}{TAG_AND_DIGEST}")));
    let pattern = pattern.map_err(|error| item.error(KustomizationErrorKind::ImageName(error)))?;
    Ok(Image {
        pattern,
        new_name: text("newName")?,
        new_tag: text("newTag")?,
        tag_suffix: text("tagSuffix")?,
        digest: text("digest")?,
    })
}

impl Image {
    /// Gives the images of a resource their new names.
    pub(in crate::build) fn apply(&self, value: &mut Value, resource: &Resource) -> Result<(), TransformError> {
        if resource.id.kind == "CustomResourceDefinition" {
            return Ok(());
        }
        self.search(value)?;
        for field in table().section("images").iter().filter(|field| field.kind.fits(resource)) {
            visit(value, &field.path, Missing::Stays, &mut |image| self.set(image))?;
        }
        Ok(())
    }

    /// Searches the lists of containers below a value.
    fn search(&self, value: &mut Value) -> Result<(), TransformError> {
        match &mut value.data {
            Data::List(items) => items.iter_mut().try_for_each(|item| self.search(item)),
            Data::Map(fields) => fields.iter_mut().try_for_each(|(name, value)| {
                self.search(value)?;
                let containers = value.as_list_mut().into_iter().flatten();
                let is_list = LISTS.contains(&name.as_str());
                let images = containers.filter_map(|container| container.as_map_mut()?.get_mut("image"));
                if is_list { images.into_iter().try_for_each(|image| self.set(image)) } else { Ok(()) }
            }),
            _ => Ok(()),
        }
    }

    fn set(&self, image: &mut Value) -> Result<(), TransformError> {
        let Some(own) = scalar_text(image) else { return Err(TransformError::NotAScalar("image".to_owned())) };
        if self.pattern.fits(&own) {
            image.data = Data::Text(self.renamed(&own));
        }
        Ok(())
    }

    fn renamed(&self, own: &str) -> String {
        let (name, tag, digest) = split(own);
        let name = if self.new_name.is_empty() { name } else { &self.new_name };
        let (tag, digest) = match (self.new_tag.is_empty(), self.digest.is_empty()) {
            (false, _) => (self.new_tag.clone(), self.digest.as_str()),
            (true, false) => (String::new(), self.digest.as_str()),
            (true, true) if self.tag_suffix.is_empty() => (tag.to_owned(), digest),
            (true, true) => (format!("{tag}{}", self.tag_suffix), ""),
        };
        let with = |separator, part: &str| if part.is_empty() { String::new() } else { format!("{separator}{part}") };
        format!("{name}{}{}", with(':', &tag), with('@', digest))
    }
}

/// Name, tag and digest of an image. A colon before the first slash belongs to a port.
fn split(image: &str) -> (&str, &str, &str) {
    let host = image.find('/').unwrap_or(0);
    let (rest, digest) = match image[host..].find('@') {
        Some(at) => (&image[..host + at], &image[host + at + 1..]),
        None => (image, ""),
    };
    match rest[host..].find(':') {
        Some(at) => (&rest[..host + at], &rest[host + at + 1..], digest),
        None => (rest, "", digest),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn an_image_is_name_tag_and_digest() {
        let cases = [
            ("nginx", ("nginx", "", "")),
            ("nginx:1", ("nginx", "1", "")),
            ("host:5000/a/b", ("host:5000/a/b", "", "")),
            ("host:5000/a/b:1@sha256:ff", ("host:5000/a/b", "1", "sha256:ff")),
            ("a@sha256:ff", ("a", "", "sha256:ff")),
        ];
        for (image, parts) in cases {
            assert_eq!(split(image), parts, "{image}");
        }
    }
}
