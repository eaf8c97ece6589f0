import type { Static } from 'typebox';
import { invalid, notFound, Refusal } from '../../../../core/errors.ts';
import { publicId, uuidOfPublicId } from '../../../../core/id.ts';
import { visibleModes } from '../../../../core/livemode.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../../core/page.ts';
import type { Principal } from '../../../../core/principal.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Call } from '../../../../platform/http/route.ts';
import type { Queryable, Transaction } from '../../../../platform/postgres/database.ts';
import { appendAudit } from '../../../identity/audit/append.ts';
import { readVisible } from '../../../identity/tenants/read-visible.ts';
import { listedTenants } from '../../../identity/tenants/visible-tenants.ts';
import type { PaymentsApp } from '../../app.ts';
import { type FailureCode, failure } from '../../providers/failures.ts';
import { addTimelineMessage } from '../../transactions/timeline-message-statements.ts';
import type { FinalOutcome } from '../effect.ts';
import { findByReference, findOfPayment, type OperationRow } from '../statements.ts';
import { isFinished } from '../states.ts';
import {
  closeOpenDiscrepancy,
  countDiscrepancies,
  findDiscrepancy,
  findDiscrepancyPage,
  lockDiscrepancy,
} from './manage-statements.ts';
import { appendDiscrepancyEvent, type DiscrepancyRecord, type DiscrepancyRow, recordOf } from './record.ts';
import type { discrepancyCloseInput, discrepancyListQuery } from './schema.ts';

/** One page of discrepancies, the latest first, and their exact number, from one snapshot. */
export function listDiscrepancies(
  { query, principal }: Call<unknown, Static<typeof discrepancyListQuery>>,
  { database }: PaymentsApp,
): Promise<{ data: DiscrepancyRecord[]; pagination: Pagination }> {
  const { page = 1, pageSize = defaultPageSize, state, kind, transactionId, channelId, livemode } = query;
  const states = state === undefined ? ['OPEN', 'DISAGREES'] : [state];
  const paymentId = transactionId && uuidOfPublicId('txn', transactionId);
  return database.snapshot(async (snapshot) => {
    const namesRecord = paymentId !== undefined || channelId !== undefined;
    const modes = visibleModes(principal, livemode, { namesRecord });
    const tenantIds = await listedTenants(snapshot, principal, query.tenantId);
    const filter = [tenantIds, states, paymentId, channelId, modes, kind];
    const [count] = await snapshot.run(countDiscrepancies, filter);
    const rows = await snapshot.run(findDiscrepancyPage, [...filter, (page - 1) * pageSize, pageSize]);
    return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
  });
}

/** The discrepancy with this public id, if the caller may see it. */
export async function readDiscrepancy(
  database: Queryable,
  idOnWire: string,
  principal: Principal,
): Promise<DiscrepancyRow> {
  const key = uuidOfPublicId('dcp', idOnWire);
  if (key === undefined) throw notFound('discrepancy', idOnWire);
  return readVisible(database, findDiscrepancy, { noun: 'discrepancy', id: idOnWire, key }, principal);
}

/**
 * Closes a discrepancy that a person has investigated: it is not looked up any more, and `npm run verify` does not name
 * it. With `outcome` it also ends the operation, and with `withdrawn` it books what a dispute in another currency took,
 * in the same transaction; without, the payment stays as it is. A discrepancy that is closed already is returned
 * unchanged, unless its operation is ended only now.
 */
export async function closeDiscrepancy(
  { body: input, principal }: Call<Static<typeof discrepancyCloseInput>>,
  app: PaymentsApp,
): Promise<DiscrepancyRecord> {
  const { database, clock, generateUuid, payments, disputeFunds } = app;
  const { note, outcome, withdrawn } = input;
  const seen = await readDiscrepancy(database, input.id, principal);
  const { tenant_id: tenantId, transaction_id: id, number, dispute_id: disputeId } = seen;
  requireFitting(seen, input);
  const [nowMs, messageId] = [clock(), generateUuid()];
  return database.transaction(async (transaction) => {
    if (disputeId !== null) await payments.lock(transaction, { tenant_id: tenantId, id });
    const [found] = (await transaction.run(lockDiscrepancy, [tenantId, seen.id])) as [DiscrepancyRow];
    const isEnded =
      outcome !== undefined && (await endOperation(tenantId, found, { ...input, outcome }, transaction, app));
    const values = [tenantId, found.id, principal.userId, note, nowMs, isEnded];
    const [closed] = await transaction.run(closeOpenDiscrepancy, values);
    if (closed === undefined) return recordOf(found);
    if (disputeId !== null) await disputeFunds.book(transaction, { tenantId, disputeId, amount: withdrawn ?? 0 });
    const detail = { userId: principal.userId, note };
    const subject = { tenant_id: tenantId, id, number };
    await addTimelineMessage(transaction, subject, { id: messageId, atMs: nowMs, kind: 'discrepancy_closed', detail });
    await appendAudit(transaction, principal, {
      action: 'discrepancy.close',
      tenantId,
      recordId: publicId('txn', id),
      details: {
        ...(number === null ? { discrepancyId: publicId('dcp', found.id) } : { operation: number }),
        note,
        ...(isEnded && { outcome }),
        ...(withdrawn !== undefined && { withdrawn }),
      },
    });
    if (found.state !== 'CLOSED') {
      await appendDiscrepancyEvent(transaction, 'discrepancy.closed', closed, generateUuid);
    }
    return recordOf(closed);
  });
}

/** Only an operation has an outcome, and only a dispute in another currency is told what was withdrawn for it. */
function requireFitting(
  { number, dispute_id }: DiscrepancyRow,
  { outcome, withdrawn }: Static<typeof discrepancyCloseInput>,
): void {
  if (outcome !== undefined && number === null) throw invalid('outcome', rule('no_operation'));
  if (withdrawn !== undefined && dispute_id === null) {
    throw invalid('withdrawn', rule('no_dispute'));
  }
  if (withdrawn === undefined && dispute_id !== null) {
    throw invalid('withdrawn', rule('withdrawn_required'));
  }
}

/** Returns false if the operation has ended in this way already. */
async function endOperation(
  tenantId: number,
  { transaction_id: paymentId, number, reference: reported }: DiscrepancyRow,
  { outcome, reference: named }: { outcome: 'SUCCEEDED' | 'FAILED'; reference?: string | undefined },
  transaction: Transaction,
  { settler }: Pick<PaymentsApp, 'settler'>,
): Promise<boolean> {
  const operations = await transaction.run(findOfPayment, [tenantId, paymentId]);
  const row = operations.find((operation) => operation.number === number) as OperationRow;
  if (row.kind === 'CANCEL') {
    throw invalid('outcome', rule('cancellation_has_no_outcome'));
  }
  const reference = named ?? row.operation_reference ?? reported ?? undefined;
  if (outcome === 'SUCCEEDED' && !isFinished(row.state)) await requireOwnReference(reference, row, transaction);
  if (!(await settler.settleByUser(row, outcomeOf(row, outcome, reference), transaction))) {
    throw new Refusal('illegal_transition', rule('operation_ended', { number: number ?? 0 }), {
      field: 'outcome',
      details: { from: row.state, to: outcome, paymentStatus: row.status },
    });
  }
  return !isFinished(row.state);
}

/** Callbacks and refunds find an operation by the provider's reference, so two cannot have the same. */
async function requireOwnReference(
  reference: string | undefined,
  { operation_channel_id, id, number }: OperationRow,
  transaction: Transaction,
): Promise<void> {
  if (reference === undefined) {
    throw invalid('reference', rule('reference_needed'));
  }
  const known = await transaction.run(findByReference, [operation_channel_id, reference]);
  const other = known.find((one) => one.id !== id || one.number !== number);
  if (other === undefined) return;
  throw invalid('reference', rule('reference_taken'));
}

const codesOfFailures: Partial<Record<OperationRow['kind'], FailureCode>> = {
  REFUND: 'refund_refused',
  CAPTURE: 'capture_failed',
};

function outcomeOf(
  { kind }: OperationRow,
  outcome: 'SUCCEEDED' | 'FAILED',
  reference: string | undefined,
): FinalOutcome {
  if (outcome === 'SUCCEEDED') return { kind: 'succeeded', reference: reference as string };
  const code = codesOfFailures[kind] ?? 'processing_error';
  const message = 'The provider did not carry it out, as a user has found there.';
  return { kind: 'failed', failure: failure(code, null, message), ...(reference !== undefined && { reference }) };
}
