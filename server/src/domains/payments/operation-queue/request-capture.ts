import type { Queryable } from '../../../platform/postgres/database.ts';
import { refuseTooMany } from './open-next.ts';
import { type ChargeRow, openCaptureOperation } from './statements.ts';

/** A capture, or the release of what was not captured. */
export interface CaptureRequest {
  kind: 'CAPTURE' | 'RELEASE';
  amount: number;
  captureId: string | null;
  isFinal: boolean | null;
  /** The charge that authorized the payment. */
  charge: ChargeRow;
}

/**
 * Opens a capture or a release at the provider and on the channel that authorized the payment. Runs in the transaction
 * that holds the payment's lock; the dispatcher calls the provider. Refuses with `not_capturable` when the payment has
 * as many operations as it can.
 */
export async function requestCapture(
  transaction: Queryable,
  { tenant_id, id, status }: { tenant_id: number; id: string; status: string },
  { kind, amount, captureId, isFinal, charge }: CaptureRequest,
  nowMs: number,
): Promise<void> {
  const { channel_id, provider } = charge;
  const values = [tenant_id, id, kind, channel_id, provider, amount, nowMs, captureId, isFinal];
  const [opened] = await transaction.run(openCaptureOperation, values);
  refuseTooMany(opened, {
    type: 'not_capturable',
    wanted: 'capture',
    field: 'id',
    details: { status },
  });
}
