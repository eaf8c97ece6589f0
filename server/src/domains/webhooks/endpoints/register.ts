import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { invalid, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { AddressGuard } from './address-guard.ts';
import { type EndpointDirectory, endpointSecretPlace } from './directory.ts';
import { requireReadScopes } from './rules.ts';
import type { registerInput } from './schema.ts';
import { insertEndpoint, nextEndpointId, type RegisteredRow } from './statements.ts';

export interface RegisterDeps {
  database: Database;
  directory: EndpointDirectory;
  guard: Pick<AddressGuard, 'allowsTarget'>;
  /** Seals a secret for one place of storage. */
  seal: (plain: string, place: string) => Buffer;
  clock: Clock;
}

/** Registers an endpoint of the caller's tenant. It receives events from now on. */
export async function registerEndpoint(
  { url, events, secret }: Static<typeof registerInput>,
  principal: Principal,
  { database, directory, guard, seal, clock }: RegisterDeps,
): Promise<RegisteredRow> {
  requireReadScopes(events, principal);
  await requireAllowedUrl(url, guard);
  const { tenantId, userId } = principal;
  const subscribed = [...new Set(events)];
  const [{ id }] = (await database.run(nextEndpointId)) as [{ id: number }];
  const sealed = seal(secret, endpointSecretPlace(tenantId, id));
  const row = await database.transaction(async (transaction) => {
    const values = [tenantId, id, userId, url, subscribed, sealed, new Date(clock())];
    const [registered] = await transaction.run(insertEndpoint, values);
    await appendAudit(transaction, principal, {
      action: 'webhook.create',
      tenantId,
      recordId: id,
      after: { url, events: subscribed, state: true },
      secrets: { secret: 'set' },
    });
    return registered as RegisteredRow;
  });
  await directory.changed(database, id);
  return row;
}

/** The URL parser silently repairs other spellings; the stored URL would then differ from the address connected to. */
const unrepairedUrl = /^https?:\/\/[^/\\?#@]+([/?#][^\\]*)?$/i;

/** Refuses a malformed URL, and one whose host leads to a forbidden address. */
export async function requireAllowedUrl(url: string, guard: RegisterDeps['guard']): Promise<void> {
  // The URL parser would drop them.
  if (/[\s\p{Cc}]/u.test(url)) throw invalid('url', 'url must not hold spaces or control characters.');
  if (!URL.canParse(url)) throw invalid('url', 'url must be an absolute URL.');
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw invalid('url', 'url must begin with https:// or http://.');
  if (username !== '' || password !== '') throw invalid('url', 'url must not hold a user name or password.');
  if (!unrepairedUrl.test(url)) {
    throw invalid('url', 'url must have its host right after https:// or http://, and hold no backslash.');
  }
  if (await guard.allowsTarget(hostname)) return;
  throw new Refusal('webhook_address_forbidden', 'url leads to an address that deliveries may not reach.', {
    field: 'url',
  });
}
