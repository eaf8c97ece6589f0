import type { Static } from 'typebox';
import { dayRangeOf } from '../../../core/days.ts';
import { publicId, uuidOfPublicId } from '../../../core/id.ts';
import { visibleModes } from '../../../core/livemode.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../core/page.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import type { entriesQuery, entry } from './schema.ts';
import {
  countTransfersOfPayment,
  listTransfers,
  listTransfersOfPayment,
  locateTransfers,
  type TransferRow,
} from './statements.ts';

export type Entry = Static<typeof entry>;

interface TransferPage {
  total: number;
  transfers: TransferRow[];
}

/**
 * One page of entries, newest first, and the exact total, both from one snapshot. Each transfer has two entries, the
 * debit before the credit; a filter by account selects one of them.
 */
export function entriesOf(
  database: Pick<Database, 'snapshot'>,
  query: Static<typeof entriesQuery>,
  principal: Principal,
): Promise<{ data: Entry[]; pagination: Pagination }> {
  const page = { page: query.page ?? 1, pageSize: query.pageSize ?? defaultPageSize };
  const { startDate, endDate } = dayRangeOf(query.startDate, query.endDate);
  const payment = uuidOfPublicId('txn', query.transactionId ?? '');
  const entriesPerTransfer = query.account === undefined ? 2 : 1;
  const offset = (page.page - 1) * page.pageSize;
  const skip = Math.floor(offset / entriesPerTransfer);
  const take = Math.ceil((offset + page.pageSize) / entriesPerTransfer) - skip;
  return database.snapshot(async (snapshot) => {
    const modes = visibleModes(principal, query.livemode, { namesRecord: payment !== undefined });
    const tenantIds = await listedTenants(snapshot, principal, query.tenantId);
    const filter = [tenantIds, query.currency, query.account, modes, startDate, endDate];
    const { total, transfers } =
      payment === undefined
        ? await findTransfers(snapshot, filter, skip, take)
        : await findTransfersOfPayment(snapshot, [...filter, payment], skip, take);
    const entries = transfers.flatMap(bothEntries).filter(({ account }) => account === (query.account ?? account));
    // With two entries per transfer, a page can begin with a credit.
    const firstEntry = offset - skip * entriesPerTransfer;
    return {
      data: entries.slice(firstEntry, firstEntry + page.pageSize),
      pagination: paginationOf(page, total * entriesPerTransfer),
    };
  });
}

/** Locates the days of the page by the totals, so that other days are not read. */
async function findTransfers(
  snapshot: Queryable,
  filter: unknown[],
  skip: number,
  take: number,
): Promise<TransferPage> {
  const [location] = await snapshot.run(locateTransfers, [...filter, skip, take]);
  const { total = 0, first_day = null, last_day = null, skip: skipInDays = 0 } = location ?? {};
  if (first_day === null) return { total, transfers: [] };
  const values = [...filter.slice(0, 4), first_day, last_day, skipInDays, take];
  return { total, transfers: await snapshot.run(listTransfers, values) };
}

async function findTransfersOfPayment(
  snapshot: Queryable,
  filter: unknown[],
  skip: number,
  take: number,
): Promise<TransferPage> {
  const [count] = await snapshot.run(countTransfersOfPayment, filter);
  const transfers = await snapshot.run(listTransfersOfPayment, [...filter, skip, take]);
  return { total: count?.total ?? 0, transfers };
}

function bothEntries(transfer: TransferRow): [Entry, Entry] {
  const { debit, credit, amount, currency, transaction_id, source_id, dispute_id, channel_id, created_at } = transfer;
  const source = sourceOf(transfer);
  const common = {
    livemode: transfer.livemode,
    amount,
    currency,
    transactionId: publicId('txn', transaction_id),
    refundId: source === 'refund' ? publicId('ref', source_id) : null,
    captureId: source === 'capture' ? publicId('cap', source_id) : null,
    disputeId: dispute_id === null ? null : publicId('dsp', dispute_id),
    channelId: channel_id,
    createdTime: created_at,
  };
  return [
    { ...common, account: debit, side: 'DEBIT', counterAccount: credit },
    { ...common, account: credit, side: 'CREDIT', counterAccount: debit },
  ];
}

/** What a transfer books: captures take money, as payments that are captured automatically do; refunds give it back. */
function sourceOf(transfer: TransferRow): 'payment' | 'capture' | 'refund' | 'dispute' {
  const { source_id, transaction_id, dispute_id, debit, credit } = transfer;
  if (dispute_id !== null) return 'dispute';
  if (source_id === transaction_id) return 'payment';
  const takes = debit === 'PROVIDER_RECEIVABLE' && credit === 'MERCHANT_PAYABLE';
  return takes || debit === 'PROVIDER_FEES' ? 'capture' : 'refund';
}
