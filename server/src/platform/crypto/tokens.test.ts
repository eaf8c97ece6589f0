import { createHmac, createSecretKey, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { freshKeyring, parseKeyring } from './keyring.ts';
import { Tokens } from './tokens.ts';

const [older, newer] = [freshKeyring(), freshKeyring()];
let nowMs = 1_800_000_000_000;
const clock = () => nowMs;
const tokensWith = (keys: string, issuer = 'florin', audience = 'florin') =>
  new Tokens({ keys: parseKeyring(keys), issuer, audience, clock });
const tokens = tokensWith(older);
const sessionId = '0b6f2c1e-8f6a-4d55-9a43-3f2f9d6c1b7e';
const content = { subject: '7', sessionId: sessionId, generation: 0, claims: { username: 'ann' }, lifetimeSeconds: 60 };

async function verdict(token: string, kind: 'access' | 'refresh' = 'access', by = tokens) {
  try {
    return await by.verify(kind, token);
  } catch (error) {
    return (error as { type: string }).type;
  }
}

test('a signed token is valid until it expires, also when it is cached', async () => {
  const token = await tokens.sign('access', content);
  const verified = await tokens.verify('access', token);
  expect(verified).toEqual({ subject: '7', sessionId: sessionId, generation: 0, expiresAtMs: nowMs + 60_000 });
  expect(await tokens.verify('access', token)).toBe(verified); // The same object: from memory.
  nowMs += 60_000;
  expect(await verdict(token)).toBe('credentials_invalid');
  expect(await verdict(token)).toBe('credentials_invalid');
});

test('access and refresh tokens are never accepted for each other', async () => {
  const [access, refresh] = [await tokens.sign('access', content), await tokens.sign('refresh', content)];
  expect(await verdict(access, 'refresh')).toBe('credentials_invalid');
  expect(await verdict(refresh, 'access')).toBe('credentials_invalid');
  expect(await verdict(refresh, 'refresh')).toMatchObject({ subject: '7' });
  expect(await verdict(access, 'access')).toMatchObject({ subject: '7' });
  expect(await verdict(access, 'refresh')).toBe('credentials_invalid');
});

test('two keys are valid during a rotation, and removing a key invalidates its tokens', async () => {
  const old = await tokens.sign('access', content);
  const rotating = tokensWith(`${newer},${older}`);
  expect(await verdict(old, 'access', rotating)).toMatchObject({ subject: '7' });
  const young = await rotating.sign('access', content);
  expect(await verdict(young, 'access', tokensWith(newer))).toMatchObject({ subject: '7' });
  expect(await verdict(old, 'access', tokensWith(newer))).toBe('credentials_invalid');
});

const kid = parseKeyring(older).current.id;
const ours = { alg: 'HS256', typ: 'at+jwt', kid };
const seconds = () => Math.floor(nowMs / 1000);
const claims = () => ({
  sub: '1',
  sid: sessionId,
  jti: 'x',
  iss: 'florin',
  aud: 'florin',
  iat: seconds(),
  exp: seconds() + 60,
});
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const secret = Buffer.from((older.split(':') as [string, string])[1], 'base64');
/** Signs by hand, with a key of the forger's choice. */
function forge(header: object, payload: object = claims(), key: Buffer = secret, hash = 'sha256'): string {
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
}

test('the forging tool of this test makes valid tokens when it follows every rule', async () => {
  expect(await verdict(forge(ours))).toMatchObject({ subject: '1' });
});

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = pair.publicKey.export({ format: 'jwk' });
const theirs = Buffer.from('a key of the forger, of 32 bytes');
const { exp: _, ...endless } = claims();
const { sid: __, ...homeless } = claims();
test.each([
  ['alg none, unsigned', `${part({ ...ours, alg: 'none' })}.${part(claims())}.`],
  ['alg NONE with our signature', forge({ ...ours, alg: 'NONE' })],
  ['no alg', forge({ typ: 'at+jwt', kid })],
  ['another algorithm under our key', forge({ ...ours, alg: 'HS512' }, claims(), secret, 'sha512')],
  ['an empty key', forge(ours, claims(), Buffer.alloc(0))],
  ['another key', forge(ours, claims(), theirs)],
  ['a session that is no UUID', forge(ours, { ...claims(), sid: '1' })],
  [
    'a key of its own in jwk',
    forge({ ...ours, jwk: { kty: 'oct', k: theirs.toString('base64url') } }, claims(), theirs),
  ],
  ['a key of its own at jku', forge({ ...ours, jku: 'https://evil.example/keys' }, claims(), theirs)],
  ['a key of its own at x5u', forge({ ...ours, x5u: 'https://evil.example/cert' }, claims(), theirs)],
  ['an unknown kid', forge({ ...ours, kid: 'other' })],
  ['a kid that is a path', forge({ ...ours, kid: '../../dev/null' }, claims(), Buffer.alloc(0))],
  ['a kid that is a property', forge({ ...ours, kid: '__proto__' }, claims(), Buffer.alloc(0))],
  ['no kid', forge({ alg: 'HS256', typ: 'at+jwt' })],
  ['an unknown critical header', forge({ ...ours, crit: ['x'], x: 1 })],
  ['an unencoded payload', forge({ ...ours, crit: ['b64'], b64: false })],
  ['typ JWT', forge({ ...ours, typ: 'JWT' })],
  ['typ of a refresh token', forge({ ...ours, typ: 'rt+jwt' })],
  ['no typ', forge({ alg: 'HS256', kid })],
  ['another issuer', forge(ours, { ...claims(), iss: 'other' })],
  ['another audience', forge(ours, { ...claims(), aud: 'other' })],
  ['no expiry', forge(ours, endless)],
  ['an expiry in words', forge(ours, { ...claims(), exp: 'never' })],
  ['an expiry long ago', forge(ours, { ...claims(), exp: 1 })],
  ['a start in the future', forge(ours, { ...claims(), nbf: seconds() + 60 })],
  ['no session', forge(ours, homeless)],
  ['a cut signature', forge(ours).slice(0, -4)],
  ['no signature', forge(ours).replace(/[^.]*$/, '')],
  ['no token at all', 'nonsense'],
  ['nothing', ''],
  ['five parts', 'a.b.c.d.e'],
  ['far too much', `${'a'.repeat(100_000)}.b.c`],
])('a token with %s is refused', async (_what, token) => {
  expect(await verdict(token)).toBe('credentials_invalid');
});

test('a token signed with a public key scheme is refused, whatever key it contains', async () => {
  const token = await new SignJWT(claims()).setProtectedHeader({ ...ours, alg: 'RS256', jwk }).sign(pair.privateKey);
  expect(await verdict(token)).toBe('credentials_invalid');
  const pem = pair.publicKey.export({ format: 'pem', type: 'spki' });
  const confused = await new SignJWT(claims()).setProtectedHeader(ours).sign(createSecretKey(Buffer.from(pem)));
  expect(await verdict(confused)).toBe('credentials_invalid');
});

test('changed claims under a true signature are refused', async () => {
  const [header, , signature] = forge(ours).split('.');
  expect(await verdict(`${header}.${part({ ...claims(), sub: '2' })}.${signature}`)).toBe('credentials_invalid');
});
