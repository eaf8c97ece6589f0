/**
 * Requests of one tenant in progress while others are active: enough for large batches, few enough for short event loop
 * turns.
 */
const defaultMaximum = 32;
/** How long a tenant counts as active after a request. */
const activeMs = 1_000;

type Proceed = (leave: () => void) => void;

/**
 * Limits the requests of a tenant that are in progress while other tenants are active. Further ones wait with only
 * their headers read, so that a request of another tenant does not wait until hundreds of a flood have been parsed and
 * written. A tenant that is alone is not limited.
 */
export class ConcurrencyLimit {
  readonly #maximum: number;
  readonly #now: () => number;
  readonly #inProgress = new Map<number, number>();
  readonly #waiting = new Map<number, Proceed[]>();
  #lastTenant: number | undefined;
  #contendedUntilMs = 0;

  constructor({ maximum = defaultMaximum, now = () => performance.now() } = {}) {
    this.#maximum = maximum;
    this.#now = now;
  }

  /**
   * Calls `proceed` now, or when it is the request's turn. Its argument must be called when the request has been
   * answered.
   */
  enter(tenantId: number, proceed: Proceed): void {
    if (tenantId !== this.#lastTenant) {
      if (this.#lastTenant !== undefined) this.#contendedUntilMs = this.#now() + activeMs;
      this.#lastTenant = tenantId;
    }
    if (this.#mayStart(tenantId)) this.#start(tenantId, proceed);
    else this.#wait(tenantId, proceed);
  }

  #mayStart(tenantId: number): boolean {
    return (this.#inProgress.get(tenantId) ?? 0) < this.#maximum || this.#now() >= this.#contendedUntilMs;
  }

  #start(tenantId: number, proceed: Proceed): void {
    this.#inProgress.set(tenantId, (this.#inProgress.get(tenantId) ?? 0) + 1);
    let hasLeft = false;
    proceed(() => {
      if (!hasLeft) this.#leave(tenantId);
      hasLeft = true;
    });
  }

  #wait(tenantId: number, proceed: Proceed): void {
    const waiting = this.#waiting.get(tenantId);
    if (waiting === undefined) this.#waiting.set(tenantId, [proceed]);
    else waiting.push(proceed);
  }

  #leave(tenantId: number): void {
    const left = (this.#inProgress.get(tenantId) ?? 1) - 1;
    if (left === 0) this.#inProgress.delete(tenantId);
    else this.#inProgress.set(tenantId, left);
    const waiting = this.#waiting.get(tenantId);
    if (waiting === undefined) return;
    while (waiting.length > 0 && this.#mayStart(tenantId)) this.#start(tenantId, waiting.shift() as Proceed);
    if (waiting.length === 0) this.#waiting.delete(tenantId);
  }
}
