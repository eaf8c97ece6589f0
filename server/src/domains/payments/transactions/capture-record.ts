import { type Static, Type } from 'typebox';
import { publicId } from '../../../core/id.ts';
import { nullable } from '../../../platform/http/shapes.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/**
 * PENDING: not sent to the provider yet. PROCESSING: sent, without a result. FAILED: the amount can be captured again.
 */
export const captureStatuses = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED'] as const;
export type CaptureStatus = (typeof captureStatuses)[number];

export const captureRecord = Type.Object(
  {
    id: Type.String({ description: '`cap_` and a time-ordered part.' }),
    transactionId: Type.String(),
    amount: Type.Integer({ description: 'In minor units.' }),
    final: Type.Boolean({ description: 'Whether nothing is captured after it: what is left is released.' }),
    status: Type.Enum([...captureStatuses], { $id: 'CaptureStatus' }),
    providerReference: nullable(Type.String({ description: "The provider's id of the capture." })),
    failureCode: nullable(Type.String()),
    createdTime: Type.String(),
    updatedTime: Type.String(),
  },
  { $id: 'Capture' },
);

export type CaptureRecord = Static<typeof captureRecord>;

export interface CaptureRow {
  tenant_id: number;
  id: string;
  transaction_id: string;
  amount: number;
  final: boolean;
  status: CaptureStatus;
  user_id: number;
  failure_code: string | null;
  provider_reference: string | null;
  created_at: string;
  updated_at: string;
}

/** The columns of `CaptureRow`, from `capture c`. */
export const captureColumns = `c.tenant_id, c.id, c.transaction_id, c.amount, c.final, c.status, c.user_id,
  c.failure_code, c.provider_reference, c.created_at, c.updated_at`;

/** The captures of a payment, the oldest first. Values: tenant, payment. */
export const findCaptures = statement<CaptureRow>(
  'captures.find_of_payment',
  `select ${captureColumns} from capture c where c.tenant_id = $1 and c.transaction_id = $2 order by c.id`,
);

export function captureRecordOf(row: CaptureRow): CaptureRecord {
  return {
    id: publicId('cap', row.id),
    transactionId: publicId('txn', row.transaction_id),
    amount: row.amount,
    final: row.final,
    status: row.status,
    providerReference: row.provider_reference,
    failureCode: row.failure_code,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
  };
}
