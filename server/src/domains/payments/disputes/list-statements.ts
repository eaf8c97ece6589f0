import { Type } from 'typebox';
import { idOf, long } from '../../../platform/http/shapes.ts';
import { listFilters } from '../../../platform/lists/filters.ts';
import { listStatements } from '../../../platform/lists/list-statements.ts';
import { modeFilter } from '../../../platform/lists/modes.cte.ts';
import type { DisputeRow } from './record.ts';
import { disputeColumns } from './statements.ts';
import { disputeReason, disputeStage, disputeStatus } from './states.ts';

export type ListedRow = DisputeRow & { customer_id: number | null };

/** The filters of the list, on `dispute d`. */
export const disputeFilters = listFilters({
  status: {
    field: Type.Optional(disputeStatus),
    type: 'text',
    condition: (value) => `d.status = ${value}`,
  },
  stage: {
    field: Type.Optional(disputeStage),
    type: 'text',
    condition: (value) => `d.stage = ${value}`,
  },
  reason: {
    field: Type.Optional(disputeReason),
    type: 'text',
    condition: (value) => `d.reason = ${value}`,
  },
  channelId: {
    field: Type.Optional(long('Only disputes of payments through this channel.')),
    type: 'bigint',
    condition: (value) => `d.channel_id = ${value}`,
  },
  /** The payment of `transactionId`, a public id in the query. */
  paymentId: { type: 'uuid', condition: (value) => `d.transaction_id = ${value}` },
  modes: modeFilter('d.livemode'),
});

/** A filter that becomes `paymentId` before the list is read. */
export const lookedUpFilters = {
  transactionId: Type.Optional(idOf('txn', 'Only disputes of this payment.')),
};

export const statements = listStatements<ListedRow, 'paymentId' | 'channelId'>(
  'disputes',
  { from: 'dispute d', alias: 'd', key: 'uuid' },
  `${disputeColumns}, (select t.customer_id from transaction t where t.tenant_id = d.tenant_id and t.id = ` +
    'd.transaction_id) as customer_id',
  disputeFilters,
  ['paymentId', 'channelId'],
);
