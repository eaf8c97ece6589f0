import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { allScopes } from '../../../core/scopes.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Quota } from '../../../platform/http/limits/rate-limiter.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { IdentityApp } from '../app.ts';
import { appendAudit } from '../audit/append.ts';
import { grantedScope } from '../developer-keys/rules.ts';
import { userCodeHash } from './codes.ts';
import type { decideInput } from './schema.ts';
import { type DeviceRow, decideDevice, findPending } from './statements.ts';

/**
 * The pending login with this code. Wrong codes are counted per user. After ten of them no code is looked up, and
 * guesses that were sent in parallel get no answer.
 */
export async function findDeviceRequest(
  userCode: string,
  { userId }: Principal,
  { database, clock, wrongDeviceCodes }: IdentityApp,
): Promise<DeviceRow> {
  requireAttempts(await wrongDeviceCodes.peek(userId));
  const [found] = await database.run(findPending, [userCodeHash(userCode), new Date(clock())]);
  if (found === undefined) {
    requireAttempts(await wrongDeviceCodes.take(userId));
    throw codeUnknown();
  }
  requireAttempts(await wrongDeviceCodes.peek(userId));
  return found;
}

function requireAttempts({ isExceeded, resetSeconds }: Quota): void {
  if (!isExceeded) return;
  throw new Refusal('too_many_attempts', rule('attempts_of_codes'), { retryAfterSeconds: resetSeconds });
}

/**
 * Approves or denies a login. An approved program gets a key of the caller, who must hold every scope that is granted.
 */
export async function decideDeviceRequest(
  { body: { userCode, approve, scope, livemode }, principal }: Call<Static<typeof decideInput>>,
  app: IdentityApp,
): Promise<DeviceRow> {
  const request = await findDeviceRequest(userCode, principal, app);
  const nowMs = app.clock();
  if (approve) requireStepUp(principal, nowMs, 'Approving the login of a device');
  const granted = approve ? grantedScope(scope ?? request.scope ?? allScopesOf(principal), principal) : null;
  const mode = livemode ?? request.livemode;
  const decided = await app.database.transaction(async (transaction) => {
    const state = approve ? 'APPROVED' : 'DENIED';
    const values = [
      userCodeHash(userCode),
      new Date(nowMs),
      state,
      principal.userId,
      granted,
      mode,
      principal.sessionId,
    ];
    const [row] = await transaction.run(decideDevice, values);
    if (row === undefined) return undefined;
    const { client, address } = row;
    await appendAudit(transaction, principal, {
      action: approve ? 'device.approve' : 'device.deny',
      tenantId: principal.tenantId,
      details: { client, deviceAddress: address, ...(approve && { scope: granted, livemode: mode }) },
    });
    return row;
  });
  if (decided === undefined) throw codeUnknown();
  return decided;
}

const allScopesOf = ({ userType, scopes }: Principal) =>
  userType === 'MERCHANT_USER' ? [...scopes].join(',') || undefined : allScopes;

const codeUnknown = () =>
  new Refusal('record_not_found', rule('device_code_unknown'), {
    field: 'userCode',
  });
