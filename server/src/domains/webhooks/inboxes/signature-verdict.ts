import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type SigningKeys, serviceSignature, standardSignature } from '../endpoints/signature.ts';

/** VERIFIED: the signature is that of these bytes under the inbox's secret. ABSENT: the message has no such header. */
export const verdicts = ['VERIFIED', 'WRONG', 'ABSENT'] as const;
export type Verdict = (typeof verdicts)[number];

/** The verdict on X-Service-Signature. */
export function verifyService(keys: SigningKeys, headers: IncomingHttpHeaders, body: Buffer): Verdict {
  const given = headers['x-service-signature'];
  if (typeof given !== 'string') return 'ABSENT';
  return isSame(given, serviceSignature(keys, body)) ? 'VERIFIED' : 'WRONG';
}

/**
 * The verdict on webhook-signature. One valid signature in the header is enough; the age of its timestamp is not
 * checked.
 */
export function verifyStandard(keys: SigningKeys, headers: IncomingHttpHeaders, body: Buffer): Verdict {
  const { 'webhook-signature': given, 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
  if (typeof given !== 'string') return 'ABSENT';
  if (typeof id !== 'string' || typeof timestamp !== 'string') return 'WRONG';
  const expected = standardSignature(keys, id, timestamp, body);
  return given.split(' ').some((one) => isSame(one, expected)) ? 'VERIFIED' : 'WRONG';
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
