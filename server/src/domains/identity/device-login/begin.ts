import type { Static } from 'typebox';
import { minuteMs } from '../../../core/clock.ts';
import { invalid, Refusal } from '../../../core/errors.ts';
import { allScopes, type Scope, scopes } from '../../../core/scopes.ts';
import { networkOf } from '../../../platform/http/limits/network-of.ts';
import { deviceCodeHash, drawDeviceCode, drawUserCode, userCodeHash } from './codes.ts';
import type { DeviceLoginDeps } from './dependencies.ts';
import type { codeInput, deviceCode } from './schema.ts';
import { insertDevice } from './statements.ts';

/** Enough to find a browser and sign in. */
const lifetimeMs = 10 * minuteMs;
/** RFC 8628, 3.2. */
export const intervalSeconds = 5;
/** Among so many codes a guess hits one in 2.6 · 10^7 times; a user has ten wrong ones in 15 minutes. */
const maxPending = 1_000;

/** Among them those that turn the direction of text, and would let a name show another one. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Draws the codes of a login that a browser is to approve. Both are stored as hashes. */
export async function beginDeviceLogin(
  { client, scope, livemode = false }: Static<typeof codeInput>,
  address: string,
  { database, clock, publicUrl, begun }: DeviceLoginDeps,
): Promise<Static<typeof deviceCode>> {
  begun.count(networkOf(address));
  if (invisible.test(client)) {
    throw invalid('client', 'client must not contain control or formatting characters: the user has to recognize it.');
  }
  const unknown = scope
    ?.split(',')
    .map((name) => name.trim())
    .find((name) => name !== allScopes && !scopes.includes(name as Scope));
  if (unknown !== undefined) {
    throw invalid('scope', `scope must name scopes, separated by commas; ${JSON.stringify(unknown)} is not one.`);
  }
  const [secret, userCode, nowMs] = [drawDeviceCode(), drawUserCode(), clock()];
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
    throw new Refusal('too_many_requests', 'Too many logins of devices are waiting. Try again in some minutes.', {
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
