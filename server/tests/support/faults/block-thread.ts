/** Blocks this thread without using the processor, as if its process were suspended. */
export function blockThread(forMs: number): void {
  if (forMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}
