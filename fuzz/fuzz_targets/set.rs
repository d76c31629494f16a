//! Bytes against the laws of `kmerge_laws::set_input`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(broken) = kmerge_laws::set_input(bytes) {
        panic!("{broken}");
    }
});
