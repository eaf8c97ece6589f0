import type { Static } from 'typebox';
import { timeRangeOf } from '../../../core/days.ts';
import { firstUuidAt } from '../../../core/id.ts';
import { listedModes } from '../../../core/livemode.ts';
import { filteredList } from '../../../platform/lists/list.ts';
import { defineList } from '../../identity/tenants/define-list.ts';
import { tenantOfRow } from '../../identity/tenants/visible-tenants.ts';
import { methodFilters, statements } from './list-statements.ts';
import { type MethodRow, method } from './record.ts';
import type { listedMethod, methodListQuery } from './schema.ts';

type Query = Static<typeof methodListQuery>;

export const listMethods = defineList<Query, MethodRow, Static<typeof listedMethod>>({
  async find({ query, principal, tenantIds }, app) {
    const { fromMs, toMs } = timeRangeOf(query);
    const modes = listedModes(principal, query.livemode, [query.customerId, query.channelId]);
    return filteredList(app, {
      name: 'methods',
      tenantIds,
      query,
      given: { ...query, modes },
      filters: methodFilters,
      statements,
      keys: { keyType: 'uuid', idPrefix: 'mtd', fromKey: firstUuidAt(fromMs), toKey: firstUuidAt(toMs) },
    });
  },
  listedAs:
    ({ principal }) =>
    (row) => ({ ...method.show(row), ...tenantOfRow(principal, row) }),
});
