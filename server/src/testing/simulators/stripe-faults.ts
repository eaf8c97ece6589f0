import { StripeProblem } from './stripe-params.ts';

/**
 * What goes wrong with one request. `Before` and `After` say on which side of it the money moves. A `stall` is executed
 * when `resume` is called; until then its key is in use. After `status500After` the 500 is what is kept under the key. A
 * status and a body are the answer of someone in between, who has let nothing through.
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

/** What is said before the key is looked at, by the name of the fault. */
export const problemsBefore: { readonly [fault: string]: StripeProblem } = {
  rateLimit: new StripeProblem(429, { code: 'rate_limit', message: 'Request rate limit exceeded.' }),
  lockTimeout: new StripeProblem(429, { code: 'lock_timeout', message: 'This object cannot be accessed right now.' }),
  status500Before: internalError,
};
