/**
 * Estimates how many deliveries an event of each tenant has, from its last payments: admission needs the number before
 * the event is written.
 */
export class FanOut {
  /** Tenants without endpoints are left out. */
  readonly #endpoints = new Map<number, number>();

  /** Deliveries that an event of the tenant is expected to have. */
  of(tenantId: number): number {
    return this.#endpoints.get(tenantId) ?? 0;
  }

  learn(tenantId: number, deliveries: number): void {
    if (deliveries > 0) this.#endpoints.set(tenantId, deliveries);
    else this.#endpoints.delete(tenantId);
  }

  /** The cost of a write that makes so many events, for admission: the events and their deliveries. */
  costOf(tenantId: number, events: number): number {
    return events * (1 + this.of(tenantId));
  }
}
