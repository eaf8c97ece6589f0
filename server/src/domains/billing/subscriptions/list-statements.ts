import { Type } from 'typebox';
import { currencyField, metadataField, searchField } from '../../../platform/http/list-query.ts';
import { long } from '../../../platform/http/shapes.ts';
import { createdFilters } from '../../../platform/lists/created.cte.ts';
import { listFilters } from '../../../platform/lists/filters.ts';
import { listStatements } from '../../../platform/lists/list-statements.ts';
import { hasMetadata } from '../../../platform/lists/metadata.cte.ts';
import { modeFilter } from '../../../platform/lists/modes.cte.ts';
import { searchLimit } from '../../../platform/lists/search.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { customersKnownAs } from '../customers/known-as.cte.ts';
import { type SubscriptionRow, subscriptionColumns } from './statements.ts';
import { subscriptionState } from './states.ts';

/** The filters of the list, on `subscription s`. */
export const subscriptionFilters = listFilters({
  customerId: {
    field: Type.Optional(long('Only subscriptions of this customer.')),
    type: 'bigint',
    condition: (value) => `s.customer_id = ${value}`,
  },
  planId: {
    field: Type.Optional(long('Only subscriptions to this plan.')),
    type: 'bigint',
    condition: (value) => `s.plan_id = ${value}`,
  },
  externalId: {
    field: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Only the subscription with this external id.' }),
    ),
    type: 'text',
    condition: (value) => `s.external_id = ${value}`,
  },
  state: {
    field: Type.Optional(subscriptionState),
    type: 'text',
    condition: (value) => `s.state = ${value}`,
  },
  currency: { field: currencyField, type: 'text', condition: (value) => `s.currency = ${value}`, counted: false },
  metadata: {
    field: metadataField,
    type: 'json',
    condition: (value) => hasMetadata('s.metadata', value),
    counted: false,
  },
  ...createdFilters('s.created_at'),
  modes: modeFilter('s.livemode'),
  /** Found by `findBySearch`. */
  ids: { type: 'bigint[]', condition: (value) => `s.id = any (${value})` },
});

export const subscriptionSearch = searchField('their id, or the mail address or external id of their customer');

export const statements = listStatements<SubscriptionRow, 'ids' | 'customerId' | 'externalId'>(
  'subscriptions',
  { from: 'subscription s', alias: 's', key: 'bigint' },
  subscriptionColumns,
  subscriptionFilters,
  ['ids', 'customerId', 'externalId'],
);

/** Searches subscriptions. Values: tenants; the text as an integer (null: it is none) and unchanged. */
export const findBySearch = statement<{ id: number }>(
  'subscriptions.find_by_search',
  `select found.id
     from unnest($1::bigint[]) as visible (tenant_id)
    cross join lateral (
      select id from subscription where tenant_id = visible.tenant_id and id = $2::bigint
      union
      (select s.id
         from (
           ${customersKnownAs('visible.tenant_id', '$3')}
         ) as payer
         join subscription s on s.tenant_id = visible.tenant_id and s.customer_id = payer.id
        limit ${searchLimit})
    ) as found
    limit ${searchLimit}`,
);
