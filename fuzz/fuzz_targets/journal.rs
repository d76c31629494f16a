//! Bytes against the laws of `kmerge_laws::journal_input`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(broken) = kmerge_laws::journal_input(bytes) {
        panic!("{broken}");
    }
});
