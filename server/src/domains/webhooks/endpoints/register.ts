import type { Static } from 'typebox';
import { invalid, Refusal } from '../../../core/errors.ts';
import { livemodeOfNew } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { problemOfWebAddress } from '../../../core/web-address.ts';
import { onceFor } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import { secretsGiven } from '../../identity/audit/changes.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import type { WebhooksApp } from '../app.ts';
import type { AddressGuards } from './address-guard.ts';
import { endpointSecretAssociatedData } from './directory.ts';
import { reachesPrivate, requireReadScopes } from './rules.ts';
import { registerInput } from './schema.ts';
import { generateSecret, requireDecodableSecret } from './signature.ts';
import { insertEndpoint, lockRegistrations, nextEndpointId, type RegisteredRow } from './statements.ts';

export interface Registered {
  row: RegisteredRow;
  /** The generated secret, if the caller gave none. */
  generatedSecret: string | undefined;
  /** Whether an earlier request with the same idempotency key registered it. */
  replayed: boolean;
}

/** Registers an endpoint of the caller's tenant, or of the tenant that a platform administrator names. */
export async function registerEndpoint(
  input: Static<typeof registerInput>,
  caller: Principal,
  { database, guards, seal, clock, maxEndpoints }: WebhooksApp,
  idempotencyKey?: string,
): Promise<Registered> {
  const { url, events, secret: givenSecret, livemode: requested } = input;
  const principal = await actFor(caller, input.tenantId, database);
  requireReadScopes(events, principal);
  if (givenSecret !== undefined) requireDecodableSecret(givenSecret);
  await requireAllowedUrl(url, principal, guards);
  const { tenantId, userId } = principal;
  const livemode = livemodeOfNew(principal, requested);
  const subscribed = [...new Set(events)];
  const [{ id }] = (await database.run(nextEndpointId)) as [{ id: number }];
  const generatedSecret = givenSecret === undefined ? generateSecret() : undefined;
  const secret = givenSecret ?? (generatedSecret as string);
  const sealed = seal(secret, endpointSecretAssociatedData(tenantId, id));
  const once = onceFor(database, {
    tenantId,
    path: '/api/webhook/register',
    key: idempotencyKey,
    input: { ...input, ...secretsGiven(registerInput, input), livemode },
    nowMs: clock(),
  });
  const { answer: row, replayed } = await once(async (transaction) => {
    await transaction.run(lockRegistrations, [tenantId]);
    const [registered] = await transaction.run(insertEndpoint, [
      tenantId,
      id,
      userId,
      url,
      reachesPrivate(principal),
      subscribed,
      sealed,
      new Date(clock()),
      maxEndpoints,
      livemode,
    ]);
    if (registered === undefined) throw limitReached(maxEndpoints);
    await appendAudit(transaction, principal, {
      action: 'webhook.create',
      tenantId,
      recordId: id,
      after: { url, events: subscribed, livemode, state: true },
      secrets: { secret: 'set' },
    });
    return registered;
  });
  // The stored answer of an idempotency key has no secret: secrets are only stored encrypted.
  return { row, generatedSecret: replayed ? undefined : generatedSecret, replayed };
}

function limitReached(limit: number): Refusal {
  return new Refusal('webhook_limit_reached', rule('webhook_limit', { limit }));
}

/** Refuses a malformed URL, and one whose host leads to an address that is forbidden to the caller. */
export async function requireAllowedUrl(url: string, principal: Principal, guards: AddressGuards): Promise<void> {
  const problem = problemOfWebAddress(url);
  if (problem !== undefined) throw invalid('url', problem);
  const guard = reachesPrivate(principal) ? guards.administrators : guards.everyone;
  if (await guard.allowsTarget(new URL(url).hostname)) return;
  throw new Refusal('webhook_address_forbidden', 'url leads to an address that deliveries may not reach.', {
    field: 'url',
  });
}
