//! Work that waits for other processes, on as many threads as there are cores.

use std::thread;

/// What `work` makes of each item, in their order.
///
/// # Errors
///
/// The first failure, once everything else has ended.
pub(crate) fn map<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let work = &work;
    thread::scope(|scope| {
        let own =
            |first: usize| items.iter().skip(first).step_by(threads).map(work).collect::<anyhow::Result<Vec<R>>>();
        let running: Vec<_> = (0..threads).map(|first| scope.spawn(move || own(first))).collect();
        let mut parts = Vec::new();
        for thread in running {
            let part = thread.join().map_err(|_| anyhow::anyhow!("a thread failed"))??;
            parts.push(part.into_iter());
        }
        let count = parts.len();
        Ok((0..items.len()).filter_map(|index| parts[index % count].next()).collect())
    })
}
