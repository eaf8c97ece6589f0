import { statement } from '../../../platform/postgres/statement.ts';
import { claimOperationsCte } from '../operations/claim.cte.ts';
import { type OperationRow, operationColumns, operationJoins } from './statements.ts';

/** Leases due operations and reads them with their payments; the values are those of `claimOperationsCte`. */
export const claimOperations = statement<OperationRow>(
  'processing.claim',
  `with recursive ${claimOperationsCte}
   select ${operationColumns}, o.state_before as state
     from claimed o
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${operationJoins}`,
);
