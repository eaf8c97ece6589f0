import type { Clock } from '../../../core/clock.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database, Transaction } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import type { AuditAction } from './actions.ts';
import { appendAudit } from './append.ts';
import type { SecretsGiven } from './changes.ts';

/** The types of records that have the actions `create` and `update`. */
type SavedType = { [Action in AuditAction]: Action extends `${infer Type}.update` ? Type : never }[AuditAction];
type CreatedType = { [Action in AuditAction]: Action extends `${infer Type}.create` ? Type : never }[AuditAction];

/** A request that creates a record or updates one. */
export interface SaveRequest<Row, Answer> {
  type: SavedType & CreatedType;
  /** The path of the route. */
  path: string;
  principal: Principal;
  idempotencyKey: string | undefined;
  /** The body, which is the same in a repeat, without secrets (`secretsGiven`). */
  input: object;
  /** Secret fields of the body that the audit log names as changed. */
  secrets?: SecretsGiven | undefined;
  /** The record as the API shows it. */
  recordOf: (row: Row) => object;
  /** What the route answers, and again to a repeat. */
  answerOf: (row: Row) => Answer;
}

export interface SavedRow<Row> {
  /** Undefined: the record was created. */
  before: Row | undefined;
  after: Row;
}

/** A row with its tenant; a tenant is of itself. */
interface SavableRow {
  id: number;
  tenant_id?: number;
}

/**
 * Creates or updates a record: `work` writes the row, once per Idempotency-Key, in one transaction with the entry in
 * the audit log. Refuses as `answerOnce` does.
 */
export function save<Row extends SavableRow, Answer>(
  { database, clock }: { database: Database; clock: Clock },
  { type, path, principal, idempotencyKey, input, secrets, recordOf, answerOf }: SaveRequest<Row, Answer>,
  work: (transaction: Transaction) => Promise<SavedRow<Row>>,
): Promise<IdempotentAnswer<Answer>> {
  const request = { tenantId: principal.tenantId, path, key: idempotencyKey, input, nowMs: clock() };
  return answerOnce(database, request, async (transaction) => {
    const { before, after } = await work(transaction);
    await appendAudit(transaction, principal, {
      action: before === undefined ? `${type}.create` : `${type}.update`,
      tenantId: after.tenant_id ?? after.id,
      recordId: after.id,
      before: before && recordOf(before),
      after: recordOf(after),
      secrets,
    });
    return answerOf(after);
  });
}
