import type { Static } from 'typebox';
import { timeRangeOf } from '../../../core/days.ts';
import { firstUuidAt, uuidOfPublicId } from '../../../core/id.ts';
import { listedModes } from '../../../core/livemode.ts';
import { filteredList } from '../../../platform/lists/list.ts';
import { defineList } from '../../identity/tenants/define-list.ts';
import { tenantOfRow } from '../../identity/tenants/visible-tenants.ts';
import { disputeFilters, type ListedRow, statements } from './list-statements.ts';
import { dispute } from './record.ts';
import type { disputeListQuery, listedDispute } from './schema.ts';

type Query = Static<typeof disputeListQuery>;

export const listDisputes = defineList<Query, ListedRow, Static<typeof listedDispute>>({
  async find({ query, principal, tenantIds }, app) {
    const { fromMs, toMs } = timeRangeOf(query);
    const modes = listedModes(principal, query.livemode, [query.transactionId, query.channelId]);
    return filteredList(app, {
      name: 'disputes',
      tenantIds,
      query,
      given: { ...query, modes, paymentId: uuidOfPublicId('txn', query.transactionId ?? '') },
      filters: disputeFilters,
      statements,
      keys: { keyType: 'uuid', idPrefix: 'dsp', fromKey: firstUuidAt(fromMs), toKey: firstUuidAt(toMs) },
    });
  },
  listedAs:
    ({ principal }) =>
    (row) => ({ ...dispute.show(row), ...tenantOfRow(principal, row), customerId: row.customer_id }),
});
