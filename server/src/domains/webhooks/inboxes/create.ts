import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import { dayMs } from '../../../core/clock.ts';
import { livemodeOfNew } from '../../../core/livemode.ts';
import { randomText } from '../../../platform/crypto/random-text.ts';
import type { Call } from '../../../platform/http/route.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import { secretsGiven } from '../../identity/audit/changes.ts';
import type { WebhooksApp } from '../app.ts';
import { requireReadScopes } from '../endpoints/rules.ts';
import { requireDecodableSecret } from '../endpoints/signature.ts';
import { type createdInbox, createInput } from './schema.ts';
import { type InboxRow, insertInbox, nextInboxId } from './statements.ts';

const lifetimeMs = 7 * dayMs;
const tokenLength = 32;

/** Creates an inbox of the caller's tenant. Requires the read scope of every event type. */
export async function createInbox(
  { body: input, principal }: Call<Static<typeof createInput>>,
  { database, clock, seal, publicUrl }: WebhooksApp,
): Promise<Static<typeof createdInbox>> {
  requireReadScopes(['*'], principal);
  const { tenantId, userId } = principal;
  const [{ id }] = (await database.run(nextInboxId)) as [{ id: number }];
  const token = randomText(tokenLength);
  const secret = input?.secret;
  if (secret !== undefined) requireDecodableSecret(secret);
  const livemode = livemodeOfNew(principal, input?.livemode);
  const sealed = secret === undefined ? null : seal(secret, inboxSecretAssociatedData(id));
  const nowMs = clock();
  const values = [tenantId, id, userId, hashOfToken(token), sealed, nowMs, nowMs + lifetimeMs, livemode];
  const row = await database.transaction(async (transaction) => {
    const [created] = (await transaction.run(insertInbox, values)) as [InboxRow];
    const secrets = secretsGiven(createInput, input ?? {});
    const after = recordOf(created);
    await appendAudit(transaction, principal, { action: 'inbox.create', tenantId, recordId: id, after, secrets });
    return created;
  });
  return { ...recordOf(row), url: `${publicUrl}/inbox/${token}`, token };
}

/** The associated data of a secret's seal: where it is stored. It does not open elsewhere. */
export const inboxSecretAssociatedData = (id: number) => `inbox/${id}/secret`;

/** Only the hash of a token is stored, so that read access to the database is not enough to post to an inbox. */
export const hashOfToken = (token: string) => hash('sha256', token, 'buffer');

export function hasTokenFormat(text: string): boolean {
  return text.length === tokenLength && /^[A-Za-z0-9]+$/.test(text);
}

export function recordOf(row: InboxRow) {
  const { id, livemode, has_secret, created_at, expires_at } = row;
  return { id, livemode, hasSecret: has_secret, createdTime: created_at, expiresTime: expires_at };
}
