import type { Static } from 'typebox';
import type { Clock } from '../../../../core/clock.ts';
import { notFound } from '../../../../core/errors.ts';
import { type GenerateUuid, publicId, uuidOfPublicId } from '../../../../core/id.ts';
import { visibleModes } from '../../../../core/livemode.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../../core/page.ts';
import type { Principal } from '../../../../core/principal.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { appendAudit } from '../../../identity/audit/append.ts';
import { listedTenants } from '../../../identity/tenants/visible-tenants.ts';
import type { TransactionReader } from '../../transactions/read.ts';
import { addTimelineMessage } from '../../transactions/timeline-message-statements.ts';
import { closeOpenDispute, countDisputes, type DisputeRow, findDispute, findDisputePage } from './manage-statements.ts';
import type { disputeCloseInput, disputeListQuery, disputeRecord } from './schema.ts';

export type DisputeRecord = Static<typeof disputeRecord>;

export interface DisputeApiDeps {
  database: Database;
  reader: TransactionReader;
  clock: Clock;
  generateUuid: GenerateUuid;
}

/** One page of disputes, the latest first, and their exact number, from one snapshot. */
export function listDisputes(
  query: Static<typeof disputeListQuery>,
  principal: Principal,
  { database }: DisputeApiDeps,
): Promise<{ data: DisputeRecord[]; pagination: Pagination }> {
  const { page = 1, pageSize = defaultPageSize, state, transactionId, channelId, livemode } = query;
  const states = state === undefined ? ['OPEN', 'DISAGREES'] : [state];
  const paymentId = transactionId && uuidOfPublicId('txn', transactionId);
  return database.snapshot(async (snapshot) => {
    const namesRecord = paymentId !== undefined || channelId !== undefined;
    const modes = visibleModes(principal, livemode, { namesRecord });
    const filter = [await listedTenants(snapshot, principal, query.tenantId), states, paymentId, channelId, modes];
    const [count] = await snapshot.run(countDisputes, filter);
    const rows = await snapshot.run(findDisputePage, [...filter, (page - 1) * pageSize, pageSize]);
    return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
  });
}

/**
 * Closes a dispute that a person has investigated: it is not looked up any more, and `npm run verify` does not name it. The
 * payment stays as it is. A dispute that is closed already is returned unchanged.
 */
export async function closeDispute(
  { transactionId, operation, note }: Static<typeof disputeCloseInput>,
  principal: Principal,
  { database, reader, clock, generateUuid }: DisputeApiDeps,
): Promise<DisputeRecord> {
  const { tenant_id: tenantId, id } = await reader.find(transactionId, principal, 'transactionId');
  const [nowMs, messageId] = [clock(), generateUuid()];
  return database.transaction(async (transaction) => {
    const key = [tenantId, id, operation];
    const [closed] = await transaction.run(closeOpenDispute, [...key, principal.userId, note, nowMs]);
    if (closed === undefined) {
      const [found] = await transaction.run(findDispute, key);
      if (found === undefined) throw notFound('dispute of operation', operation, 'operation');
      return recordOf(found);
    }
    const detail = { userId: principal.userId, note };
    const subject = { tenant_id: tenantId, id, number: operation };
    await addTimelineMessage(transaction, subject, { id: messageId, atMs: nowMs, kind: 'dispute_closed', detail });
    await appendAudit(transaction, principal, {
      action: 'dispute.close',
      tenantId,
      recordId: publicId('txn', id),
      details: { operation, note },
    });
    return recordOf(closed);
  });
}

function recordOf(row: DisputeRow): DisputeRecord {
  return {
    livemode: row.livemode,
    transactionId: publicId('txn', row.transaction_id),
    operation: row.number,
    channelId: row.channel_id,
    state: row.state,
    reported: row.said,
    reportedLivemode: row.said_livemode,
    amount: row.amount,
    currency: row.currency,
    reference: row.reference,
    lookUps: row.look_ups,
    openedTime: row.opened_at,
    closedTime: row.closed_at,
    closedBy: row.closed_by,
    note: row.close_note,
  };
}
