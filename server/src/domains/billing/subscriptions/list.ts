import type { Static } from 'typebox';
import { listedModes } from '../../../core/livemode.ts';
import { createdLimitsOf } from '../../../platform/lists/created.cte.ts';
import { filteredList } from '../../../platform/lists/list.ts';
import { integerOf, searchIds } from '../../../platform/lists/search.ts';
import { defineList } from '../../identity/tenants/define-list.ts';
import { subscriptionFilters as filters, findBySearch, statements } from './list-statements.ts';
import { recordOf, type SubscriptionRecord } from './record.ts';
import { type listQuery, subscriptionRecord } from './schema.ts';
import type { SubscriptionRow } from './statements.ts';

type Query = Static<typeof listQuery>;

export const listSubscriptions = defineList<Query, SubscriptionRow, SubscriptionRecord>({
  async find({ query, principal, tenantIds }, app) {
    const modes = listedModes(principal, query.livemode, [query.customerId, query.planId]);
    const valuesOf = (text: string) => [tenantIds, integerOf(text), text];
    const ids = await searchIds(app.listDatabase, query.search, findBySearch, valuesOf);
    const given = { ...query, modes, ...createdLimitsOf(query), ids };
    return filteredList(app, { name: 'subscriptions', tenantIds, query, given, filters, statements });
  },
  listedAs: () => recordOf,
  exported: { file: 'subscriptions', shape: subscriptionRecord, action: 'subscription.export' },
});
