import { columns } from '../../../platform/postgres/columns.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { type DisputeRow, dispute } from './record.ts';

/** The columns of `DisputeRow`, from `dispute d`. */
export const disputeColumns = dispute.select();

/** Whole rows, for `insertDisputes` and `updateDisputes`. */
export const disputeInput = columns<DisputeRow>(dispute.insertColumns((row: DisputeRow) => row));

export const insertDisputes = statement(
  'disputes.insert',
  `insert into dispute (${dispute.inserted.columns})
   select ${dispute.inserted.values} from (${disputeInput.relation()}) as row`,
);

/** Writes whole rows, each of them one version after the row that it replaces. */
export const updateDisputes = statement<{ id: string }>(
  'disputes.update',
  `with input as materialized (${disputeInput.relation()})
   update dispute d
      set (${dispute.inserted.columns}) =
          (select ${dispute.inserted.values} from input where input.tenant_id = d.tenant_id and input.id = d.id)
     from input as written
    where d.tenant_id = written.tenant_id and d.id = written.id and d.version = written.version - 1
   returning d.id`,
);

/** A dispute in one of these tenants. Values: tenants, id. */
export const findDispute = statement<DisputeRow>(
  'disputes.find',
  `select ${disputeColumns}
     from unnest($1::bigint[]) as seen (tenant_id)
     join dispute d on d.tenant_id = seen.tenant_id and d.id = $2`,
);

/** Locks a dispute for the rest of the transaction. Values: tenant, id. */
export const lockDispute = statement<DisputeRow>(
  'disputes.lock',
  `select ${disputeColumns} from dispute d where d.tenant_id = $1 and d.id = $2 for update`,
);

/** The same by what the provider calls it. Values: channel, reference, payment. */
export const lockDisputeByReference = statement<DisputeRow>(
  'disputes.lock_by_reference',
  `select ${disputeColumns} from dispute d
    where d.channel_id = $1 and d.provider_reference = $2 and d.transaction_id = $3 for update`,
);

/** The disputes of a payment, the oldest first. Values: tenant, payment. */
export const findOfPayment = statement<DisputeRow>(
  'disputes.find_of_payment',
  `select ${disputeColumns} from dispute d where d.tenant_id = $1 and d.transaction_id = $2 order by d.id`,
);

/** The disputes that a provider knows by an id. Values: channel, reference. */
export const findByReference = statement<DisputeRow>(
  'disputes.find_by_reference',
  `select ${disputeColumns} from dispute d where d.channel_id = $1 and d.provider_reference = $2 order by d.id`,
);

export type MovementKind = 'WITHDRAWN' | 'REINSTATED' | 'FEE_CHARGED' | 'FEE_RETURNED';

export interface MovementRow {
  tenant_id: number;
  id: string;
  dispute_id: string;
  reference: string;
  kind: MovementKind;
  amount: number;
  currency: string;
  /** Whether it is a transfer of the ledger. */
  booked: boolean;
  created_at: string;
}

/** The movements of a dispute, the oldest first. Values: tenant, dispute. */
export const findMovements = statement<MovementRow>(
  'disputes.find_movements',
  `select tenant_id, id, dispute_id, reference, kind, amount, currency, booked, created_at
     from dispute_movement where tenant_id = $1 and dispute_id = $2 order by id`,
);

export const movementInput = columns<MovementRow>([
  ['tenant_id', 'bigint', (row) => row.tenant_id],
  ['id', 'uuid', (row) => row.id],
  ['dispute_id', 'uuid', (row) => row.dispute_id],
  ['reference', 'text', (row) => row.reference],
  ['kind', 'text', (row) => row.kind],
  ['amount', 'bigint', (row) => row.amount],
  ['currency', 'text', (row) => row.currency],
  ['booked', 'boolean', (row) => row.booked],
  ['created_ms', 'float8', (row) => Date.parse(row.created_at)],
]);

/** Values: those of `movementInput`. */
export const insertMovements = statement(
  'disputes.insert_movements',
  `insert into dispute_movement (tenant_id, id, dispute_id, reference, kind, amount, currency, booked, created_at)
   select tenant_id, id, dispute_id, reference, kind, amount, currency, booked, to_timestamp(created_ms / 1000)
     from (${movementInput.relation()}) as row`,
);

/** Records a reading that has changed nothing. Values: tenant, id, when it began in ms. */
export const touchDispute = statement(
  'disputes.touch',
  'update dispute set read_at = to_timestamp($3::float8 / 1000) where tenant_id = $1 and id = $2',
);

/** What the provider calls the charge that took the money of a payment. Values: tenant, payment. */
export const findChargeReference = statement<{ provider_reference: string | null }>(
  'disputes.find_charge_reference',
  `select provider_reference from provider_operation
    where tenant_id = $1 and transaction_id = $2 and kind = 'CHARGE' and not void`,
);
