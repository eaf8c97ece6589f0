import { StripeProblem } from './stripe-params.ts';

/**
 * A fault of one request. `…Before` comes before the simulator executes the request, `…After` after that. `stall`
 * executes the request when `resume` is called; its key is in use until then. `status500After` stores the 500 as the
 * answer to the key. A status with a body is the answer of a proxy that has not forwarded the request.
 */
export type StripeFault =
  | 'hangBefore'
  | 'hangAfter'
  | 'dropBefore'
  | 'dropAfter'
  | 'dripAfter'
  | 'garbageAfter'
  | 'status500Before'
  | 'status500After'
  | 'rateLimit'
  | 'lockTimeout'
  | 'stall'
  | { status: number; body: string };

export const internalError = new StripeProblem(500, { type: 'api_error', message: 'An unknown error occurred' });

/** Answers given before the idempotency key is checked, by fault. */
export const problemsBefore: { readonly [fault: string]: StripeProblem } = {
  rateLimit: new StripeProblem(429, { code: 'rate_limit', message: 'Request rate limit exceeded.' }),
  lockTimeout: new StripeProblem(429, { code: 'lock_timeout', message: 'This object cannot be accessed right now.' }),
  status500Before: internalError,
};
