import type { Relation } from '../../../platform/postgres/relation.ts';
import type { Topic } from '../../../platform/postgres/statement.ts';

/** Provider operations are due. */
export const operationsDue: Topic = 'operations';

/** Operations to open. */
type Operations = Relation<
  | 'tenant_id'
  | 'transaction_id'
  | 'number'
  | 'kind'
  | 'refund_id'
  | 'channel_id'
  | 'provider'
  | 'amount'
  | 'background'
  | 'at'
>;

/**
 * A CTE that records provider operations in the statement of the change that causes them, so that both are written or
 * neither. An operation is due at once by the database's clock: `at` may be the time of an id, which may be ahead of
 * it.
 */
export const openOperations = (operations: Operations) => `
  opened as (
    insert into provider_operation (tenant_id, transaction_id, number, kind, refund_id, channel_id, provider, amount,
                                    background, due_at, created_at)
    select tenant_id, transaction_id, number, kind, refund_id, channel_id, provider, amount, background,
           least(at, now()), at
      from ${operations.name}
  )`;

/** A capture or a release to open. */
type CaptureOperations = Parameters<typeof openOperations>[0] & Relation<'capture_id' | 'is_final'>;

/** The same for captures and releases, which have further columns. */
export const openCaptureOperations = (operations: CaptureOperations) => `
  opened_capture as (
    insert into provider_operation (tenant_id, transaction_id, number, kind, refund_id, channel_id, provider, amount,
                                    background, due_at, created_at, capture_id, is_final)
    select tenant_id, transaction_id, number, kind, refund_id, channel_id, provider, amount, background,
           least(at, now()), at, capture_id, is_final
      from ${operations.name}
  )`;
