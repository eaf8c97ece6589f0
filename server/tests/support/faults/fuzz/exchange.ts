import { printedTypes } from '../../../../src/domains/billing/documents/print.ts';
import { fileTypes } from '../../../../src/domains/billing/finance/files.ts';
import { streamType } from '../../../../src/domains/webhooks/stream/routes.ts';
import { exportTypes } from '../../../../src/platform/lists/export.ts';
import type { Prepared } from './records.ts';
import type { Sent } from './requests.ts';

/** Sends a request to the service at an address. */
export function send(
  { operation: { method, path, address }, as, pairs, contentType, idempotencyKey, corruption }: Sent,
  florin: { address: string },
  { credentials, logoutCredential }: Pick<Prepared, 'credentials' | 'logoutCredential'>,
): Promise<Response> {
  const authorization = path.endsWith('/logout') ? logoutCredential : credentials[as];
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
  // A stream would not end.
  const ending = path === '/api/stream' ? 'follow=false&' : '';
  if (method === 'GET') return fetch(`${florin.address}${address}?${ending}${queryOf(pairs, corruption)}`, { headers });
  const json = `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  const body =
    corruption === undefined ? json : json.slice(0, corruption.at) + corruption.insert + json.slice(corruption.at + 1);
  return fetch(florin.address + address, { method, body, headers: { ...headers, 'content-type': contentType } });
}

function queryOf(pairs: Sent['pairs'], corruption: Sent['corruption']): string {
  const query = pairs
    .map(([name, json]) => `${escaped(name)}=${escaped(json.replace(/^"|"$/g, '').slice(0, 4000))}`)
    .join('&');
  return corruption === undefined ? query : `${query.slice(0, corruption.at)}%${query.slice(corruption.at + 1)}`;
}

const escaped = (text: string) => encodeURIComponent(text.toWellFormed());

/** Types of answers without the envelope. */
const documentTypes = [streamType, ...printedTypes, ...exportTypes, ...Object.values(fileTypes)];

/** The faults of a reply, independent of the request. */
export function faultOf({ status, headers }: Pick<Response, 'status' | 'headers'>, text: string): string | undefined {
  const fault = (what: string) => `${what}: ${status} ${text.slice(0, 500)}`;
  if (status >= 500) return fault('a 5xx');
  const type = headers.get('content-type') ?? '';
  if (status === 200 && documentTypes.some((document) => type.startsWith(document))) return undefined;
  if (type !== 'application/json; charset=utf-8') return fault('not JSON by its type');
  const requestId = headers.get('x-request-id');
  if (requestId === null) return fault('no request id');
  const { code, data, message, error } = JSON.parse(text);
  if (code !== status) return fault('code is not the status');
  if (status === 200) return data === undefined || error !== undefined ? fault('no data') : undefined;
  const refused = data === null && typeof message === 'string' && typeof error?.type === 'string';
  if (!refused || error.requestId !== requestId) return fault('not the shape of a refusal');
  return status === 429 && headers.get('retry-after') === null ? fault('no Retry-After') : undefined;
}
