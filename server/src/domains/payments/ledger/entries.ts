import type { Static } from 'typebox';
import { dayRangeOf } from '../../../core/days.ts';
import { invalid } from '../../../core/errors.ts';
import { publicId, uuidOfPublicId } from '../../../core/id.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../core/page.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import type { entriesQuery, entry } from './schema.ts';
import {
  countTransfersOfPayment,
  listTransfers,
  listTransfersOfPayment,
  locateTransfers,
  type TransferRow,
} from './statements.ts';

export type Entry = Static<typeof entry>;

/** Transfers under the filter from the newest on: how many in all, and those asked for. */
interface TransferPage {
  total: number;
  transfers: TransferRow[];
}

/**
 * One page of entries, newest first, with the exact total: both of one moment. Each transfer is two entries, its debit
 * before its credit; under an account it is the one of that account.
 */
export function entriesOf(
  database: Pick<Database, 'snapshot'>,
  query: Static<typeof entriesQuery>,
  principal: Principal,
): Promise<{ data: Entry[]; pagination: Pagination }> {
  const page = { page: query.page ?? 1, pageSize: query.pageSize ?? defaultPageSize };
  const { startDate, endDate } = dayRangeOf(query.startDate, query.endDate);
  const payment = paymentOf(query.transactionId);
  const sides = query.account === undefined ? 2 : 1;
  const offset = (page.page - 1) * page.pageSize;
  const skip = Math.floor(offset / sides);
  const take = Math.ceil((offset + page.pageSize) / sides) - skip;
  return database.snapshot(async (moment) => {
    const narrowed = [await tenantsSeen(moment, principal), query.currency, query.account, startDate, endDate];
    const { total, transfers } =
      payment === undefined
        ? await findTransfers(moment, narrowed, skip, take)
        : await findTransfersOfPayment(moment, [...narrowed, payment], skip, take);
    const entries = transfers.flatMap(bothEntries).filter(({ account }) => account === (query.account ?? account));
    const before = offset - skip * sides;
    return {
      data: entries.slice(before, before + page.pageSize),
      pagination: paginationOf(page, total * sides),
    };
  });
}

/** The totals say which days hold the page, so that whole days are skipped without being read. */
async function findTransfers(
  moment: Queryable,
  narrowed: unknown[],
  skip: number,
  take: number,
): Promise<TransferPage> {
  const [place] = await moment.run(locateTransfers, [...narrowed, skip, take]);
  const { total = 0, first_day = null, last_day = null, skip: skipInDays = 0 } = place ?? {};
  if (first_day === null) return { total, transfers: [] };
  const values = [...narrowed.slice(0, 3), first_day, last_day, skipInDays, take];
  return { total, transfers: await moment.run(listTransfers, values) };
}

async function findTransfersOfPayment(moment: Queryable, narrowed: unknown[], skip: number, take: number) {
  const [count] = await moment.run(countTransfersOfPayment, narrowed);
  const transfers = await moment.run(listTransfersOfPayment, [...narrowed, skip, take]);
  return { total: count?.total ?? 0, transfers };
}

function bothEntries(transfer: TransferRow): [Entry, Entry] {
  const { debit, credit, amount, currency, transaction_id, source_id, channel_id, created_at } = transfer;
  const common = {
    amount,
    currency,
    transactionId: publicId('txn', transaction_id),
    refundId: source_id === transaction_id ? null : publicId('ref', source_id),
    channelId: channel_id,
    createdTime: created_at,
  };
  return [
    { ...common, account: debit, side: 'DEBIT', counterAccount: credit },
    { ...common, account: credit, side: 'CREDIT', counterAccount: debit },
  ];
}

function paymentOf(id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const uuid = uuidOfPublicId('txn', id);
  if (uuid === undefined) throw invalid('transactionId', "transactionId must be a transaction's id, such as txn_….");
  return uuid;
}
