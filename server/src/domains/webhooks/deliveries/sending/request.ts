import { publicId } from '../../../../core/id.ts';
import type { Target } from '../../endpoints/directory.ts';
import { signaturesAt } from '../../endpoints/signature.ts';
import type { ClaimedDelivery } from '../claiming/statements.ts';
import type { Post } from './sender.ts';

/** The headers of every delivery, before its own. */
export const fixedHeaders = [
  'Content-Type',
  'application/json',
  'User-Agent',
  'Florin-Webhooks',
  // What is compressed would have to be unpacked to be limited.
  'Accept-Encoding',
  'identity',
];

/** A delivery as it goes over the wire, signed as of now. */
export function postOf(
  { id, replay_of, event_id, type, body }: Pick<ClaimedDelivery, 'id' | 'replay_of' | 'event_id' | 'type' | 'body'>,
  { path, keys }: Pick<Target, 'path' | 'keys'>,
  nowMs: number,
): Post {
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
