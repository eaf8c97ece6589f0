import { columns } from '../../../platform/postgres/columns.ts';
import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import type { Account } from './accounts.ts';

/** As the topic of the totals of payments: one worker rolls both up. */
const rollupsDue: Topic = 'rollups';

/** Funds or a fee of a dispute. */
export interface DisputeTransfer {
  tenantId: number;
  livemode: boolean;
  /** The movement. */
  sourceId: string;
  transactionId: string;
  disputeId: string;
  channelId: number;
  debit: Account;
  credit: Account;
  currency: string;
  amount: number;
  atMs: number;
}

export const disputeTransferColumns = columns<DisputeTransfer>([
  ['tenant_id', 'bigint', (transfer) => transfer.tenantId],
  ['livemode', 'boolean', (transfer) => transfer.livemode],
  ['source_id', 'uuid', (transfer) => transfer.sourceId],
  ['transaction_id', 'uuid', (transfer) => transfer.transactionId],
  ['dispute_id', 'uuid', (transfer) => transfer.disputeId],
  ['channel_id', 'bigint', (transfer) => transfer.channelId],
  ['debit', 'text', (transfer) => transfer.debit],
  ['credit', 'text', (transfer) => transfer.credit],
  ['currency', 'text', (transfer) => transfer.currency],
  ['amount', 'bigint', (transfer) => transfer.amount],
  ['at_ms', 'float8', (transfer) => transfer.atMs],
]);

/** Books funds and fees of disputes, each movement once. Values: those of `disputeTransferColumns`. */
export const bookDisputeTransfers = statement(
  'ledger.book_disputes',
  `with transfer as materialized (${disputeTransferColumns.relation()}),
   booked as (
     insert into ledger_transfer (tenant_id, source_id, leg, transaction_id, dispute_id, channel_id, debit, credit,
                                  currency, amount, created_at)
     select tenant_id, source_id, 1, transaction_id, dispute_id, channel_id, debit, credit, currency, amount,
            to_timestamp(at_ms / 1000)
       from transfer
   )
   insert into ledger_total_delta (tenant_id, livemode, debit, credit, currency, day, count, amount)
   select tenant_id, livemode, debit, credit, currency, (to_timestamp(at_ms / 1000) at time zone 'UTC')::date,
          count(*), sum(amount)
     from transfer
    group by 1, 2, 3, 4, 5, 6`,
  { wakes: [{ topic: rollupsDue }] },
);
