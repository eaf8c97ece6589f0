import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { serviceSignature, signingKeys, standardSignature } from '../signature.ts';

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
  ['a secret that only begins like one', 'whsec_not base64 at all', { format: 'raw' as const }],
])('an independent verifier accepts the standard signature made with %s, unicode and all', (_, secret, options) => {
  const signature = standardSignature(signingKeys(secret), id, timestamp, Buffer.from(body));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  expect(new Webhook(secret, options).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(secret, options).verify(`${body} `, headers)).toThrow();
});
