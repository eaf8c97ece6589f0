import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { PaymentsApp } from '../app.ts';
import { closeDiscrepancy, listDiscrepancies, readDiscrepancy } from './discrepancies/manage.ts';
import { recordOf } from './discrepancies/record.ts';
import {
  discrepancyCloseInput,
  discrepancyListQuery,
  discrepancyQuery,
  discrepancyRecord,
} from './discrepancies/schema.ts';

const { get, post } = routesFor<PaymentsApp>();

export const discrepancyRoutes: readonly Route<PaymentsApp>[] = [
  get('/api/discrepancy/list', 'transaction_read', 'Discrepancies', {
    summary: 'List discrepancies',
    description: 'The latest first. `total` is always exact.',
    query: discrepancyListQuery,
    data: Type.Array(discrepancyRecord),
    paged: true,
    handle: listDiscrepancies,
  }),

  get('/api/discrepancy/detail', 'transaction_read', 'Discrepancies', {
    summary: 'Get a discrepancy',
    query: discrepancyQuery,
    data: discrepancyRecord,
    handle: async ({ query, principal }, { database }) => ({
      data: recordOf(await readDiscrepancy(database, query.id, principal)),
    }),
  }),

  post('/api/discrepancy/close', 'transaction_refund', 'Discrepancies', {
    summary: 'Close a discrepancy',
    description:
      'For a discrepancy that a person has investigated: Florin stops asking the provider, ' +
      'and `florin verify` does not name it any more. `outcome` also ends a charge or refund of which the ' +
      'provider can no longer say anything; without it the payment stays as it is. `withdrawn` books what a dispute ' +
      'in another currency has taken. ' +
      'A discrepancy that is closed already is returned unchanged, unless `outcome` ends its operation.',
    refuses: ['illegal_transition'],
    body: discrepancyCloseInput,
    data: discrepancyRecord,
    message: 'Discrepancy closed',
    handle: async (call, app) => ({ data: await closeDiscrepancy(call, app) }),
  }),
];
