import { type Principal, tenantOnWire } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type AuditAction, recordTypeOf } from './actions.ts';
import { type Changes, changesOf, type SecretsGiven } from './changes.ts';
import { appendEntries, type EntryDraft, entryColumns } from './statements.ts';

/** Where a request comes from. */
export type RequestOrigin = Pick<Principal, 'requestId' | 'address'>;

/** Who acts: a `Principal`, a caller who authenticated in another way or not at all, or the service itself. */
export interface Actor extends RequestOrigin, Pick<Principal, 'keyId'> {
  by: Principal['by'] | 'password' | 'passkey' | 'reset_token' | 'device_code' | 'nobody' | 'system';
  userId: number | null;
  userName: string | null;
}

export const systemActor: Actor = { by: 'system', userId: null, userName: null };

export interface AuditedChange {
  action: AuditAction;
  /** The tenant of the record, in whose log the entry is written. */
  tenantId: number;
  /** The id of the record as the API shows it. */
  recordId?: string | number | undefined;
  /** The record as the API shows it, before and after the change; no `before`: it was created. */
  before?: object | undefined;
  after?: object | undefined;
  /** Secret fields of the request (`secretsGiven`). */
  secrets?: SecretsGiven | undefined;
  /** Further facts about the action. Must not hold a secret. */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Records a change in the audit log, in the transaction of the change, so that neither is committed without the other.
 * Takes no lock, so that concurrent changes do not wait for each other; a worker chains the entry within about a second
 * after the commit.
 */
export async function appendAudit(transaction: Queryable, actor: Actor, change: AuditedChange): Promise<void> {
  await appendAuditEntries(transaction, [[actor, change]]);
}

/** Records several changes by one statement. */
export async function appendAuditEntries(
  database: Queryable,
  entries: readonly (readonly [actor: Actor, change: AuditedChange])[],
): Promise<void> {
  const drafts = entries.map(([actor, change]) => draftOf(actor, change));
  await database.run(appendEntries, entryColumns.parametersOf(drafts));
}

function draftOf(actor: Actor, change: AuditedChange): EntryDraft {
  const { action, tenantId, details } = change;
  const recordType = recordTypeOf(action);
  const recordId = change.recordId === undefined ? null : String(change.recordId);
  const { userId } = actor;
  const changes: Changes = changesOf(change.before as never, change.after as never, change.secrets);
  // The order of the first fields is part of the format: `integrity.ts` compares them with the columns.
  const fields = {
    action,
    recordType,
    recordId,
    userId,
    userName: actor.userName,
    by: actor.by,
    keyId: actor.keyId ?? null,
    address: actor.address ?? null,
    requestId: actor.requestId ?? null,
    changes,
    details: details ?? {},
  };
  return {
    tenantId,
    action,
    recordType,
    recordId,
    userId,
    tenantJson: JSON.stringify(tenantOnWire(tenantId)),
    fieldsJson: JSON.stringify(fields).slice(1),
  };
}
