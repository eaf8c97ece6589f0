import type { Static } from 'typebox';
import { minuteMs } from '../../../core/clock.ts';
import { invalid, Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { networkOf } from '../../../platform/http/limits/network-of.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { IdentityApp } from '../app.ts';
import { scopeNamesIn } from '../developer-keys/rules.ts';
import { deviceCodeHash, generateDeviceCode, generateUserCode, userCodeHash } from './codes.ts';
import type { codeInput, deviceCode } from './schema.ts';
import { insertDevice } from './statements.ts';

/** Long enough to find a browser and sign in. */
const lifetimeMs = 10 * minuteMs;
/** RFC 8628, 3.2. */
export const intervalSeconds = 5;
/** With this many pending codes, one guess in 2.6 · 10^7 hits one. A user may enter ten wrong codes in 15 minutes. */
const maxPending = 1_000;

/**
 * Controls, the characters that change the direction of text, with which a name could be displayed as another one, and
 * those that show nothing: fonts leave them out, or draw a gap (U+2800).
 */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Creates the two codes of a login that is to be approved in a browser. They are stored as hashes. */
export async function beginDeviceLogin(
  { body: { client, scope, livemode = false }, address }: Call<Static<typeof codeInput>>,
  { database, clock, publicUrl, begunDeviceLogins }: IdentityApp,
): Promise<Static<typeof deviceCode>> {
  begunDeviceLogins.count(networkOf(address));
  if (invisible.test(client) || client.trim() === '') {
    throw invalid('client', rule('client_visible'));
  }
  if (scope !== undefined) scopeNamesIn(scope);
  const [secret, userCode, nowMs] = [generateDeviceCode(), generateUserCode(), clock()];
  const [inserted] = await database.run(insertDevice, [
    deviceCodeHash(secret),
    userCodeHash(userCode),
    client,
    address,
    scope ?? null,
    livemode,
    new Date(nowMs),
    new Date(nowMs + lifetimeMs),
    maxPending,
  ]);
  if (inserted === undefined) {
    throw new Refusal('too_many_requests', rule('devices_waiting'), {
      retryAfterSeconds: 60,
    });
  }
  const verificationUri = `${publicUrl}/device`;
  return {
    deviceCode: secret,
    userCode,
    verificationUri,
    verificationUriComplete: `${verificationUri}?code=${userCode}`,
    expiresIn: lifetimeMs / 1000,
    interval: intervalSeconds,
  };
}
