import { publicId } from '../../../../core/id.ts';
import type { ClaimedDelivery } from '../../delivery-queue/claim-statements.ts';
import { type EndpointKeys, signaturesAt } from '../../endpoints/signature.ts';

export interface SignedRequest {
  path: string;
  /** Name, value, name, value, … */
  headers: string[];
  body: Buffer;
}

/** Headers that are the same for every delivery. */
export const fixedHeaders = [
  'Content-Type',
  'application/json',
  'User-Agent',
  'Florin-Webhooks',
  // A compressed answer would have to be decompressed before its size could be limited.
  'Accept-Encoding',
  'identity',
];

/** The HTTP request of a delivery, signed as of now. */
export function signedRequest(
  { id, replay_of, event_id, type, body }: Pick<ClaimedDelivery, 'id' | 'replay_of' | 'event_id' | 'type' | 'body'>,
  { path, keys }: { path: string; keys: EndpointKeys },
  nowMs: number,
): SignedRequest {
  const bytes = Buffer.from(body);
  const eventId = publicId('evt', event_id);
  const timestamp = String(Math.floor(nowMs / 1000));
  const { service, standard } = signaturesAt(nowMs, keys, eventId, timestamp, bytes);
  const headers = [
    ...fixedHeaders,
    'X-Service-Signature',
    service,
    'X-Service-Event',
    type,
    'X-Service-Delivery',
    publicId('dlv', replay_of ?? id),
    'webhook-id',
    eventId,
    'webhook-timestamp',
    timestamp,
    'webhook-signature',
    standard,
  ];
  return { path, headers, body: bytes };
}
