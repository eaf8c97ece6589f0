/** Work that was done for a payment, as a span of its trace. */
export interface TracedWork {
  /** What was done: `POST /api/transaction/create`, `charge stripe`, `deliver transaction.succeeded`. */
  name: string;
  /** The payment's id as a UUID or as `txn_…`: its 128 bits are the id of the trace. */
  transactionId: string;
  /** `server`: the request that created the payment, the root of its trace. `client`: a request to another system. */
  kind: 'server' | 'internal' | 'client';
  /** Whether this created the payment: all other work is a child of it. */
  isRoot?: boolean;
  endMs: number;
  durationMs: number;
  attributes: Readonly<Record<string, string | number | boolean>>;
  /** Why it failed. */
  failure?: string | undefined;
  /** The `traceparent` of the caller (W3C Trace Context), which is linked to. */
  traceparent?: string | undefined;
}

/**
 * Traces payments (`app.tracing.endpoint`). The id of a trace is that of its payment, and the id of its root span is
 * derived from it. So the work of several processes, over days, forms one trace, and nothing has to be stored or passed
 * on for it.
 */
export interface Tracing {
  /** Must neither throw nor wait. */
  record: (work: TracedWork) => void;
}

/** `txn_0198…` and the UUID of a payment as the 32 digits of a trace id. */
export const traceIdOf = (transactionId: string) => transactionId.replace(/^txn_/, '').replaceAll('-', '');

/** The second half of the payment's id is random enough to tell spans apart. */
export const rootSpanIdOf = (traceId: string) => traceId.slice(16);

const traceparentShape = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The caller's span; undefined for a header of another form. */
export function callerOf(
  traceparent: string | undefined,
): { traceId: string; spanId: string; flags: number } | undefined {
  const [, traceId, spanId, flags] = traceparentShape.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId)
    ? undefined
    : { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
