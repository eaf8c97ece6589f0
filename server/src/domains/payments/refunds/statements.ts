import { columns } from '../../../platform/postgres/columns.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { RefundStatus } from './states.ts';

export interface RefundRow {
  tenant_id: number;
  id: string;
  /** The mode of its payment, which is that of its channel. */
  livemode: boolean;
  transaction_id: string;
  /** The payment's channel, even if a fallback channel took the money. */
  channel_id: number;
  amount: number;
  currency: string;
  status: RefundStatus;
  reason: string | null;
  metadata: Record<string, unknown> | null;
  /** Null: nobody asked for it here, or Florin refunds by itself. */
  user_id: number | null;
  /** Null: FLORIN. */
  origin: 'PROVIDER' | null;
  failure_code: string | null;
  failure_message: string | null;
  provider_reference: string | null;
  created_at: string;
  updated_at: string;
}

/** The columns of `RefundRow`, from `refund r`. */
export const refundColumns = `r.tenant_id, r.id, (select livemode from channel where channel.id = r.channel_id)
    as livemode,
  r.transaction_id, r.channel_id, r.amount, r.currency, r.status, r.reason, r.metadata,
  r.user_id, r.origin, r.failure_code, r.failure_message, r.provider_reference, r.created_at, r.updated_at`;

export const insertRefund = statement<RefundRow>(
  'refunds.insert',
  `insert into refund as r (tenant_id, id, transaction_id, channel_id, amount, currency, status, reason, metadata,
                            user_id, created_at, updated_at, events_complete)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11::float8 / 1000), to_timestamp($11::float8 / 1000),
           true)
   returning ${refundColumns}`,
);

/** Names the refund of a provider operation. */
export interface RefundOfOperation {
  tenant_id: number;
  refund_id: string | null;
}

export const refundKeyColumns = columns<RefundOfOperation>([
  ['tenant_id', 'bigint', (operation) => operation.tenant_id],
  ['id', 'uuid', (operation) => operation.refund_id],
]);

/** PENDING → PROCESSING. Values: `refundKeyColumns`, the time in ms. */
export const beginMany = statement(
  'refunds.begin_many',
  `update refund r
      set status = 'PROCESSING', version = r.version + 1,
          updated_at = greatest(to_timestamp($3::float8 / 1000), r.updated_at)
     from (${refundKeyColumns.relation()}) as begun
    where r.tenant_id = begun.tenant_id and r.id = begun.id and r.status = 'PENDING'`,
);

/** A refund in one of these tenants. Values: tenants, id. */
export const findRefund = statement<RefundRow>(
  'refunds.find',
  `select ${refundColumns}
     from unnest($1::bigint[]) as seen (tenant_id)
     join refund r on r.tenant_id = seen.tenant_id and r.id = $2`,
);

/**
 * A refund that was made elsewhere, once. Values: tenant, id, payment, channel, amount, currency, status, the
 * provider's reference, now in ms.
 */
export const insertElsewhere = statement<RefundRow>(
  'refunds.insert_elsewhere',
  `insert into refund as r (tenant_id, id, transaction_id, channel_id, amount, currency, status, provider_reference,
                            origin, created_at, updated_at, events_complete)
   values ($1, $2, $3, $4, $5, $6, $7, $8, 'PROVIDER', to_timestamp($9::float8 / 1000), to_timestamp($9::float8 / 1000),
           true)
   on conflict do nothing
   returning ${refundColumns}`,
);

/** The refund made elsewhere that a provider knows by this id. Values: tenant, payment, reference. */
export const findElsewhere = statement<RefundRow>(
  'refunds.find_elsewhere',
  `select ${refundColumns} from refund r
    where r.tenant_id = $1 and r.transaction_id = $2 and r.provider_reference = $3 and r.origin = 'PROVIDER'`,
);

/** Values: tenant, id, status, failure code, its message, whether it had succeeded, now in ms. */
export const endElsewhere = statement<RefundRow>(
  'refunds.end_elsewhere',
  `update refund r
      set status = $3, failure_code = $4, failure_message = $5,
          reversed_at = case when $6 then to_timestamp($7::float8 / 1000) end, version = r.version + 1,
          updated_at = greatest(to_timestamp($7::float8 / 1000), r.updated_at)
    where r.tenant_id = $1 and r.id = $2
   returning ${refundColumns}`,
);

/** A dispute of the payment in another currency, of which nobody has said what it took. Values: tenant, payment. */
export const findUnclearDispute = statement<{ dispute_id: string }>(
  'refunds.find_unclear_dispute',
  `select dispute_id from discrepancy
    where tenant_id = $1 and transaction_id = $2 and dispute_id is not null and state = 'OPEN' limit 1`,
);
