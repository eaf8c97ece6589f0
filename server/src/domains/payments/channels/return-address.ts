import { createHmac, timingSafeEqual } from 'node:crypto';

/** The payment or the payment method whose payer a provider sends back. */
export interface Returning {
  kind: 'PAYMENT' | 'METHOD';
  tenantId: number;
  channelId: number;
  /** Its UUID. */
  id: string;
}

const kinds: readonly Returning['kind'][] = ['PAYMENT', 'METHOD'];
const payloadBytes = 1 + 8 + 8 + 16;
const tagBytes = 16;

/**
 * The address to which a provider sends a payer back: always the same one for an operation, because a provider refuses
 * a repeated request that differs. `callbackToken`: the secret of the channel's callback address.
 */
export function returnAddressOf(publicUrl: string, returning: Returning, callbackToken: string): string {
  const payload = Buffer.alloc(payloadBytes);
  payload.writeUInt8(kinds.indexOf(returning.kind));
  payload.writeBigUInt64BE(BigInt(returning.tenantId), 1);
  payload.writeBigUInt64BE(BigInt(returning.channelId), 9);
  payload.write(returning.id.replaceAll('-', ''), 17, 'hex');
  const token = Buffer.concat([payload, tagOf(payload, callbackToken)]).toString('base64url');
  return `${publicUrl}/r/${token}`;
}

/** What a token names, which may be forged: `isGenuine` tells. Undefined if it is none. */
export function readReturnToken(
  token: string,
): { returning: Returning; isGenuine: (secret: string) => boolean } | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== payloadBytes + tagBytes || bytes.toString('base64url') !== token) return undefined;
  const payload = bytes.subarray(0, payloadBytes);
  const kind = kinds[payload.readUInt8()];
  if (kind === undefined) return undefined;
  const [tenantId, channelId] = [Number(payload.readBigUInt64BE(1)), Number(payload.readBigUInt64BE(9))];
  if (!Number.isSafeInteger(tenantId) || !Number.isSafeInteger(channelId)) return undefined;
  const hex = payload.toString('hex', 17);
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const isGenuine = (secret: string) => timingSafeEqual(bytes.subarray(payloadBytes), tagOf(payload, secret));
  return { returning: { kind, tenantId, channelId, id }, isGenuine };
}

/** Keyed with a secret that stands in another address too, so the text says what it is for. */
function tagOf(payload: Buffer, secret: string): Buffer {
  return createHmac('sha256', secret).update('return/').update(payload).digest().subarray(0, tagBytes);
}
