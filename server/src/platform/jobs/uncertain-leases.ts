import type { LeaseStore } from './lease-statements.ts';

/**
 * When the leases of a failed claim are released, in ms after the failure. Repeated, because a statement whose
 * connection broke may still be executed, up to the statement timeout of the database.
 */
const releaseAfterMs = [0, 3_000, 15_000];

/** The leases of claims that failed: such a claim may have been executed although its answer was lost. */
export class UncertainLeases {
  readonly #store: LeaseStore | undefined;
  /** When the claim of each lease failed, and how often the lease has been released. */
  readonly #leases = new Map<string, { failedAtMs: number; times: number }>();

  /** Without a store, claims take no lease and nothing is kept. */
  constructor(store: LeaseStore | undefined) {
    this.#store = store;
  }

  get isEmpty(): boolean {
    return this.#leases.size === 0;
  }

  add(lease: string): void {
    if (this.#store !== undefined) this.#leases.set(lease, { failedAtMs: performance.now(), times: 0 });
  }

  /** Releases the leases that are due to be released. Rejects while the database is unavailable. */
  async releaseDue(): Promise<void> {
    const nowMs = performance.now();
    const due = [...this.#leases].filter(
      ([, { failedAtMs, times }]) => nowMs - failedAtMs >= (releaseAfterMs[times] as number),
    );
    await this.#release(due.map(([lease]) => lease));
  }

  /** Releases all of them once more, before the worker stops. */
  releaseAll(): Promise<void> {
    return this.#release([...this.#leases.keys()]);
  }

  async #release(leases: readonly string[]): Promise<void> {
    if (leases.length === 0) return;
    await this.#store?.release(leases);
    for (const lease of leases) {
      const one = this.#leases.get(lease);
      if (one !== undefined && ++one.times === releaseAfterMs.length) this.#leases.delete(lease);
    }
  }
}
