import type { Static } from 'typebox';
import { listedModes } from '../../../core/livemode.ts';
import { createdLimitsOf } from '../../../platform/lists/created.cte.ts';
import { filteredList } from '../../../platform/lists/list.ts';
import { inBoth, integerOf, prefixPattern, searchIds } from '../../../platform/lists/search.ts';
import { defineList } from '../../identity/tenants/define-list.ts';
import { tenantOfRow } from '../../identity/tenants/visible-tenants.ts';
import { customerFilters, findBySearch, indexedName, statements } from './list-statements.ts';
import { recordOf } from './record.ts';
import { type customerListQuery, listedCustomer } from './schema.ts';
import type { CustomerRow } from './statements.ts';

type Query = Static<typeof customerListQuery>;

export const listCustomers = defineList<Query, CustomerRow, Static<typeof listedCustomer>>({
  async find({ query, principal, tenantIds }, app) {
    const modes = listedModes(principal, query.livemode, [query.ids]);
    const found = await searchIds(app.listDatabase, query.search, findBySearch, (text) => {
      const pattern = prefixPattern(text.slice(0, indexedName));
      return [tenantIds, integerOf(text), text, pattern];
    });
    const named = query.ids?.split(',').map(Number);
    const ids = found === undefined ? named : inBoth(named, found);
    const given = { ...query, modes, ...createdLimitsOf(query), ids };
    return filteredList(app, { name: 'customers', tenantIds, query, given, filters: customerFilters, statements });
  },
  listedAs:
    ({ principal }) =>
    (row) => ({ ...recordOf(row), ...tenantOfRow(principal, row) }),
  exported: { file: 'customers', shape: listedCustomer, action: 'customer.export' },
});
