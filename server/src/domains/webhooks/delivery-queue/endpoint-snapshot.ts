export const msOf = (time: string) => `(extract(epoch from ${time}) * 1000)::float8`;

/** An endpoint's row as it was when this node last read it. */
export interface EndpointSnapshot {
  /** false: switched off or removed. Its deliveries are cancelled without a request, so no limit applies. */
  isActive: boolean;
  origin: string;
  /** The endpoint's own limit of deliveries in flight on each node; null: none. */
  maxInFlight: number | null;
  /** The endpoint's own limit of deliveries per second over all nodes; null: none. */
  ratePerS: number | null;
  /** The circuit breaker is open until then and half-open afterwards. null: it is closed. */
  pausedUntilMs: number | null;
  /** Start of the present series of failures without a success, on any node. */
  firstFailureMs: number | null;
}

/** The columns of `EndpointSnapshot` and the id, from `webhook_endpoint endpoint`. */
export const snapshotColumns = `endpoint.id, endpoint.state as "isActive", endpoint.origin,
    endpoint.max_in_flight as "maxInFlight",
          endpoint.rate_per_s as "ratePerS", ${msOf('endpoint.open_until')} as "pausedUntilMs",
          ${msOf('endpoint.first_failure_at')} as "firstFailureMs"`;
