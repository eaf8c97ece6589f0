import { createHmac } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { requireDecodableSecret, serviceSignature, signingKeys, standardSignature } from '../signature.ts';

const root = join(import.meta.dirname, '../../../../../..');
const body = '{"id":"evt_1","data":{"object":{"description":"Grüße, 東京 🎌"}}}';
const id = 'evt_1';
const timestamp = String(Math.floor(Date.now() / 1000));

test('the service signature is the hex HMAC-SHA256 of the raw body, for secrets and bodies of any length', () => {
  const secrets = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(secrets, fc.uint8Array({ maxLength: 300 }), (secret, bytes) => {
      const raw = Buffer.from(bytes);
      const expected = createHmac('sha256', secret).update(raw).digest('hex');
      expect(serviceSignature(signingKeys(secret), raw)).toBe(expected);
    }),
  );
});

test.each([
  ['a plain secret', 'correct horse battery staple', { format: 'raw' as const }],
  ['a secret of the Standard Webhooks form', `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`, {}],
  ['the same without padding', 'whsec_unpaddedSecret', {}],
  ['the same with one character too many', 'whsec_demonstration', {}],
])('an independent verifier accepts the standard signature made with %s, unicode and all', (_, secret, options) => {
  const signature = standardSignature(signingKeys(secret), id, timestamp, Buffer.from(body));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  expect(new Webhook(secret, options).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(secret, options).verify(`${body} `, headers)).toThrow();
});

test('of secrets that begin with whsec_, those are accepted that an independent verifier accepts', () => {
  const text = fc.string({ unit: fc.constantFrom(...'AZaz09+/=-_ .'), minLength: 10, maxLength: 60 });
  const base64 = fc.base64String({ minLength: 12, maxLength: 60 }).map((padded) => padded.replace(/=+$/, ''));
  const padding = fc.constantFrom('', '=', '==', '===');
  const secrets = fc.oneof(
    text,
    fc.tuple(base64, padding).map(([one, other]) => one + other),
  );
  fc.assert(
    fc.property(secrets, (encoded) => {
      const secret = `whsec_${encoded}`;
      expect(isAccepted(secret)).toBe(isAcceptedByLibrary(secret));
      if (!isAccepted(secret)) return;
      const signature = standardSignature(signingKeys(secret), id, timestamp, Buffer.from(body));
      expect(new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), body)).toBe(signature);
    }),
    { numRuns: 500 },
  );
});

function isAccepted(secret: string): boolean {
  try {
    requireDecodableSecret(secret);
    return true;
  } catch {
    return false;
  }
}

function isAcceptedByLibrary(secret: string): boolean {
  try {
    return new Webhook(secret) !== undefined;
  } catch {
    return false;
  }
}

test('every secret in the documentation is one that an independent verifier accepts', async () => {
  const pages = ['README.md', 'sdk/README.md', 'tools/local/receiver.mjs'];
  for await (const page of glob('docs/**/*.md', { cwd: root })) pages.push(page);
  const found: string[] = [];
  for (const page of pages) {
    const text = await readFile(join(root, page), 'utf8');
    found.push(...(text.match(/whsec_[A-Za-z0-9+/=_-]{10,}/g) ?? []));
  }
  expect(found.length).toBeGreaterThan(5);
  expect(
    found.filter((secret) => !isAcceptedByLibrary(secret) || secret.slice('whsec_'.length).length % 4 !== 0),
  ).toEqual([]);
});

test('a secret of an earlier release signs as it did then', () => {
  const legacy = (secret: string) => standardSignature(signingKeys(secret, true), id, timestamp, Buffer.from(body));
  for (const secret of ['whsec_unpaddedSecret', 'whsec_not base64 at all']) {
    const own = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    expect(legacy(secret)).toBe(`v1,${own}`);
  }
  const padded = 'whsec_QuickstartSecret';
  expect(legacy(padded)).toBe(new Webhook(padded).sign(id, new Date(Number(timestamp) * 1000), body));
});
