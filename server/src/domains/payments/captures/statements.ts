import { columns } from '../../../platform/postgres/columns.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { type CaptureRow, captureColumns } from '../transactions/capture-record.ts';

/** Values: tenant, id, payment, amount, whether it is final, user, now in ms. */
export const insertCapture = statement<CaptureRow>(
  'captures.insert',
  `insert into capture as c (tenant_id, id, transaction_id, amount, final, status, user_id, created_at, updated_at)
   values ($1, $2, $3, $4, $5, 'PENDING', $6, to_timestamp($7::float8 / 1000), to_timestamp($7::float8 / 1000))
   returning ${captureColumns}`,
);

/** Names the capture of a provider operation. */
export interface CaptureOfOperation {
  tenant_id: number;
  capture_id: string | null;
}

export const captureKeyColumns = columns<CaptureOfOperation>([
  ['tenant_id', 'bigint', (operation) => operation.tenant_id],
  ['id', 'uuid', (operation) => operation.capture_id],
]);

/** PENDING → PROCESSING. Values: `captureKeyColumns`, the time in ms. */
export const beginMany = statement(
  'captures.begin_many',
  `update capture c
      set status = 'PROCESSING', updated_at = greatest(to_timestamp($3::float8 / 1000), c.updated_at)
     from (${captureKeyColumns.relation()}) as begun
    where c.tenant_id = begun.tenant_id and c.id = begun.id and c.status = 'PENDING'`,
);
