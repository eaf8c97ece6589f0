import { SignatureError } from './errors.ts';
import type { EventObjects } from './generated/api.ts';

interface EventOf<Type extends string, Data> {
  /** `evt_…`, the same on every attempt and replay: process each id once. */
  id: string;
  type: Type;
  /** When it happened, in Unix seconds. */
  created: number;
  /** true: about live records. false: about test records. */
  livemode: boolean;
  data: Data;
}

/** The event of a webhook. Later releases send further types, so a `switch` over `type` must ignore unknown ones. */
export type FlorinEvent = {
  [Type in keyof EventObjects]: EventOf<Type, { object: EventObjects[Type] }>;
}[keyof EventObjects];

/** The headers as any framework passes them. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How old or how far ahead `webhook-timestamp` may be, in milliseconds. Default: 300,000. */
  toleranceMs?: number;
  /**
   * `standard`, the default: verifies `webhook-signature`, which also proves when the webhook was sent. `service`:
   * verifies only `X-Service-Signature`, so that a recorded webhook can be replayed at any time.
   */
  scheme?: 'standard' | 'service';
}

export interface WebhookHelpers {
  /**
   * Verifies a webhook and returns its event. Rejects with a `SignatureError`. `rawBody` must be the bytes as they
   * arrived; `secret` is that of the endpoint, or both secrets while it is being changed.
   */
  verify(
    rawBody: string | Uint8Array | ArrayBuffer,
    headers: WebhookHeaders,
    secret: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<FlorinEvent>;
  /** A body with the headers that Florin would send, to test a receiver. */
  signForTest(event: TestEvent, secret: string): Promise<{ body: string; headers: Record<string, string> }>;
}

export type TestEvent = Pick<FlorinEvent, 'type'> & {
  id?: string;
  created?: number;
  livemode?: boolean;
  data: { object: object };
};

/** `WebhookHelpers.verify` without a client. */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceMs = 300_000, scheme = 'standard' }: VerifyOptions = {},
): Promise<FlorinEvent> {
  const body = bytesOf(rawBody);
  const secrets = [secret].flat().filter((one) => typeof one === 'string' && one !== '');
  if (secrets.length === 0) throw wrong('secret_missing', 'Pass the secret of the webhook endpoint.');
  const isGenuine =
    scheme === 'service'
      ? await hasServiceSignature(body, headers, secrets)
      : await hasStandardSignature(body, headers, secrets, toleranceMs);
  if (!isGenuine) {
    throw wrong(
      'signature_wrong',
      'The signature does not match: the secret is not that of this endpoint, or the body was changed on its way. ' +
        'Pass the bytes as they arrived, before any parser.',
    );
  }
  return JSON.parse(new TextDecoder().decode(body)) as FlorinEvent;
}

async function hasServiceSignature(body: Bytes, headers: WebhookHeaders, secrets: readonly string[]): Promise<boolean> {
  const given = hexBytes(requiredHeader(headers, 'x-service-signature'));
  const matches = await Promise.all(secrets.map((secret) => isMac(given, utf8(secret), body)));
  return matches.includes(true);
}

/**
 * Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; several are separated by spaces.
 * Endpoints of earlier releases sign with the bytes of a secret whose base64 has no padding.
 */
async function hasStandardSignature(
  body: Bytes,
  headers: WebhookHeaders,
  secrets: readonly string[],
  toleranceMs: number,
): Promise<boolean> {
  const given = requiredHeader(headers, 'webhook-signature');
  const [id, timestamp] = [requiredHeader(headers, 'webhook-id'), requiredHeader(headers, 'webhook-timestamp')];
  const signed = joined(utf8(`${id}.${timestamp}.`), body);
  const macs = given
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => base64Bytes(one.slice(3)));
  const keys = secrets.flatMap((secret) => [standardKey(secret), utf8(secret)]);
  const pairs = macs.flatMap((mac) => keys.map((key) => isMac(mac, key, signed)));
  if (!(await Promise.all(pairs)).includes(true)) return false;
  const ageMs = Date.now() - Number(timestamp) * 1000;
  if (Math.abs(ageMs) <= toleranceMs) return true;
  throw wrong(
    'timestamp_outside_tolerance',
    `The webhook was sent ${Math.round(Math.abs(ageMs) / 1000)} s ${ageMs > 0 ? 'ago' : 'ahead of this clock'}, and ` +
      `${toleranceMs / 1000} s are allowed. If it is not a repetition by somebody else, ` +
      'check the clock of this machine.',
  );
}

/** A body with the headers that Florin would send, signed now. */
export async function signForTest(
  { type, id = `evt_${crypto.randomUUID().replaceAll('-', '')}`, created, livemode = false, ...rest }: TestEvent,
  secret: string,
): Promise<{ body: string; headers: Record<string, string> }> {
  const now = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({ id, type, created: created ?? now, livemode, ...rest });
  const [service, standard] = await Promise.all([
    mac(utf8(secret), utf8(body)),
    mac(standardKey(secret), utf8(`${id}.${now}.${body}`)),
  ]);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-event': type,
      'x-service-delivery': `dlv_${crypto.randomUUID().replaceAll('-', '')}`,
      'x-service-signature': [...service].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
      'webhook-id': id,
      'webhook-timestamp': String(now),
      'webhook-signature': `v1,${btoa(String.fromCharCode(...standard))}`,
    },
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

function bytesOf(rawBody: unknown): Bytes {
  if (typeof rawBody === 'string') return utf8(rawBody);
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  if (ArrayBuffer.isView(rawBody)) {
    return new Uint8Array(rawBody.buffer as ArrayBuffer, rawBody.byteOffset, rawBody.byteLength);
  }
  throw wrong('body_not_raw', bodyNotRaw(rawBody));
}

function bodyNotRaw(given: unknown): string {
  const what = given === undefined || given === null ? 'no body' : 'a parsed body';
  return `verify() needs the body as it arrived, and was given ${what}: the signature is over its bytes.
  Express: app.post(path, express.raw({ type: '*/*' }), …) before express.json(), then pass req.body;
    or use @florin/sdk/express.
  Fastify: app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (req, body, done) => done(null, body)),
    then pass request.body; or use @florin/sdk/fastify.
  Hono: pass await c.req.text(); or use @florin/sdk/hono.
  Next.js: pass await request.text() in a route handler; or use @florin/sdk/next.`;
}

function requiredHeader(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (value !== undefined) return value;
  const hint =
    name !== 'x-service-signature' && headerOf(headers, 'x-service-signature') !== undefined
      ? ' To accept X-Service-Signature alone, which does not say when the webhook was sent, pass { scheme: ' +
        '"service" }.'
      : '';
  throw wrong('signature_missing', `The header ${name} is missing: this is not a webhook of Florin.${hint}`);
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return [entry?.[1]].flat()[0] as string | undefined;
}

const wrong = (type: string, message: string) => new SignatureError(message, { type });

const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

/** What follows `whsec_`, decoded from base64 with padding or without; the bytes of any other secret. */
function standardKey(secret: string): Bytes {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]{2,})={0,2}$/.exec(secret) ?? [];
  if (encoded === undefined) return utf8(secret);
  // One character more than whole bytes need is ignored by the libraries of Standard Webhooks, and refused by `atob`.
  return base64Bytes(encoded.length % 4 === 1 ? encoded.slice(0, -1) : encoded);
}

/** Empty for text of another format. */
function base64Bytes(text: string): Bytes {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Empty for text of another format. */
const hexBytes = (text: string): Bytes =>
  /^([0-9a-f]{2})+$/i.test(text)
    ? Uint8Array.from(text.match(/../g) as string[], (pair) => Number.parseInt(pair, 16))
    : new Uint8Array();

function joined(one: Bytes, other: Bytes): Bytes {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** WebCrypto compares in constant time. */
async function isMac(given: Bytes, secret: Bytes, message: Bytes): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['verify']);
  return crypto.subtle.verify('HMAC', key, given, message);
}

async function mac(secret: Bytes, message: Bytes): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
}
