import type { Slice } from './slices.ts';

/** Does one piece of work and returns its number of operations. */
type Work = () => number | Promise<number>;

/**
 * A slice of work in this process: microseconds of processor time an operation. Time on the processor, of all
 * threads and of the kernel for us, is what other programs on the machine disturb least.
 */
export function cpuSlice(work: Work, milliseconds: number): Slice {
  return async () => {
    const until = performance.now() + milliseconds;
    const before = process.cpuUsage();
    let operations = 0;
    while (performance.now() < until) operations += await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / operations;
  };
}

/** A slice of work whose cost arises in other processes: microseconds by the clock an operation. */
export function clockSlice(work: Work, milliseconds: number): Slice {
  return async () => {
    const start = performance.now();
    let operations = 0;
    while (performance.now() < start + milliseconds) operations += await work();
    return ((performance.now() - start) * 1000) / operations;
  };
}
