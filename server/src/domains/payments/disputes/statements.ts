import { versionedRows } from '../../../platform/lists/versioned-rows.ts';
import { columns } from '../../../platform/postgres/columns.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { type DisputeRow, dispute } from './record.ts';

/** Whole rows of `dispute`. */
export const {
  columns: disputeColumns,
  input: disputeInput,
  insert: insertDisputes,
  update: updateDisputes,
  find: findDispute,
  lock: lockDispute,
} = versionedRows<DisputeRow>('disputes', 'dispute d', dispute);

/** Locks a dispute by what its provider calls it. Values: channel, reference, payment. */
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
