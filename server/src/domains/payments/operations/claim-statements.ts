import { statement } from '../../../platform/postgres/statement.ts';
import { claimOperationsCte } from '../operation-queue/claim.cte.ts';
import { type OperationRow, operationColumns, operationJoins } from './statements.ts';

export interface ClaimedRow extends OperationRow {
  /** Whether a rate limits its channel, for which it may have waited. */
  is_paced: boolean;
}

/** Leases due operations and reads them with their payments; the values are those of `claimOperationsCte`. */
export const claimOperations = statement<ClaimedRow>(
  'operations.claim',
  `with recursive ${claimOperationsCte}
   select ${operationColumns}, o.state_before as state, o.is_paced
     from claimed o
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${operationJoins}`,
);
