/** This thread stands still, as when its process is suspended or waits for a processor; it uses no processor time itself. */
export function standStill(forMs: number): void {
  if (forMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}
