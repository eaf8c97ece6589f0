import type { IncomingMessage } from 'node:http';
import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';

/**
 * Headers whose one value is used. Those that may be lists (Accept, If-None-Match, X-Forwarded-For and the signatures
 * of providers) are not among them, nor those that are not read.
 */
const singleHeaders = new Map(
  [
    'Access-Control-Request-Method',
    'Authorization',
    'Content-Encoding',
    'Content-Type',
    'Cookie',
    'Expect',
    'Host',
    'Idempotency-Key',
    'Last-Event-ID',
    'Origin',
    'Sec-Fetch-Site',
    'Traceparent',
    'User-Agent',
    'X-Florin-Console',
    'X-Request-Id',
  ].map((name) => [name.toLowerCase(), name]),
);

/**
 * Refuses a request that repeats such a header. Node keeps the first value of some headers and joins those of
 * others, where a proxy in front of it may have read the last: two values of Idempotency-Key would become a third key.
 */
export function requireSingleHeaders({ headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): void {
  // Nearly every request: no header is repeated.
  if (Object.keys(headers).length * 2 === rawHeaders.length) return;
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = singleHeaders.get((rawHeaders[i] as string).toLowerCase());
    if (name === undefined) continue;
    if (seen.has(name)) throw invalid(name, rule('only_one_header'));
    seen.add(name);
  }
}
