import { dayMs, secondMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { type BrokenRule, rule } from '../../../core/refusal-rules.ts';
import { networkOf } from '../../../platform/http/limits/network-of.ts';
import type { IdentityApp } from '../app.ts';
import type { Actor } from '../audit/append.ts';
import { storeNewKey } from '../developer-keys/generate.ts';
import type { KeyRow } from '../developer-keys/statements.ts';
import { intervalSeconds } from './begin.ts';
import { deviceCodeHash } from './codes.ts';
import { claimDevice, pollDevice } from './statements.ts';

/** Limits how long a key on a lost laptop works. */
const keyLifetimeMs = 90 * dayMs;

export interface DeviceKey {
  key: string;
  row: KeyRow;
  userName: string;
}

/**
 * Creates the key of an approved login and uses up the approval, in one transaction. The key is not created earlier,
 * because it would have to be stored in plain text while the program polls.
 */
export function claimDeviceKey(
  deviceCode: string,
  { address, requestId }: { address: string; requestId: string },
  app: IdentityApp,
): Promise<DeviceKey> {
  return app.unknownDeviceCodes.attempt(networkOf(address), async () => {
    const nowMs = app.clock();
    const codeHash = deviceCodeHash(deviceCode);
    const [polled] = await app.database.run(pollDevice, [codeHash, new Date(nowMs)]);
    if (polled === undefined || polled.state === 'USED') {
      throw new Refusal('expired_token', 'This device code is unknown, used or expired. Ask for another one.', {
        field: 'deviceCode',
      });
    }
    if (polled.state === 'DENIED') throw denied(rule('device_denied'));
    if (polled.state === 'PENDING') throw pending(polled.polled_at, nowMs);
    return app.database.transaction(async (transaction) => {
      const [claimed] = await transaction.run(claimDevice, [codeHash, new Date(nowMs)]);
      if (claimed === undefined) throw denied(rule('device_session_ended'));
      const { user_id: userId, tenant_id: tenantId, user_name: userName, client: name, livemode } = claimed;
      const actor: Actor = { by: 'device_code', userId, userName, address, requestId };
      const grant = {
        scope: claimed.granted_scope,
        name,
        livemode,
        expiresAt: new Date(nowMs + keyLifetimeMs),
        allowedAddresses: [],
      };
      return {
        ...(await storeNewKey(transaction, { userId, tenantId }, actor, grant, { nowMs, maxKeys: app.maxKeys })),
        userName,
      };
    });
  });
}

/** A poll may be one second early, because timers and clocks are not exact. */
function pending(polledAt: string | null, nowMs: number): Refusal {
  const details = { interval: intervalSeconds };
  const isEarly = polledAt !== null && nowMs - Date.parse(polledAt) < (intervalSeconds - 1) * secondMs;
  return isEarly
    ? new Refusal('slow_down', rule('ask_once', { interval: intervalSeconds }))
    : new Refusal('authorization_pending', 'The user has not decided yet.', { details });
}

const denied = (message: BrokenRule) => new Refusal('access_denied', message);
