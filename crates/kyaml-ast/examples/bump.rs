//! Sets the tag of an image wherever a field `image` names it: `cargo run -p kyaml-ast --example bump -- FILE NAME TAG`.
//!
//! Without arguments it edits a sample, and checks that only the tags have changed.

use std::error::Error;
use std::io::Write as _;

use kyaml_ast::{Changes, NewValue, Pattern, Stream};

const SAMPLE: &str = "\
containers:
- name: app     # the shop
  image: \"shop/app:1.4\"   # tested with proxy 3
- {name: proxy, image: shop/proxy:3}
---
initContainers: [{image: shop/app:1.4}]
";

const EXPECTED: &str = "\
containers:
- name: app     # the shop
  image: \"shop/app:1.5\"   # tested with proxy 3
- {name: proxy, image: shop/proxy:3}
---
initContainers: [{image: shop/app:1.5}]
";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = match arguments.as_slice() {
        [] => {
            let text = bump(SAMPLE, "shop/app", "1.5")?;
            assert_eq!(text, EXPECTED);
            text
        }
        [file, name, tag] => bump(&std::fs::read_to_string(file)?, name, tag)?,
        _ => return Err("usage: bump FILE NAME TAG".into()),
    };
    Ok(write!(std::io::stdout(), "{text}")?)
}

/// Collects all changes of the file, and writes them at once.
fn bump(source: &str, name: &str, tag: &str) -> Result<String, Box<dyn Error>> {
    let stream = Stream::parse(source)?;
    let images: Pattern = "..image".parse()?;
    let mut changes = Changes::new(&stream);
    for document in stream.documents() {
        for end in document.root().map(|root| images.follow(root)).unwrap_or_default() {
            if end.found.node.value().split(':').next() == Some(name) {
                changes.set(document, &end, NewValue::Text(&format!("{name}:{tag}")))?;
            }
        }
    }
    Ok(changes.finish()?)
}
