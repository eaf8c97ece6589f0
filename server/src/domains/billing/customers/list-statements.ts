import { Type } from 'typebox';
import { metadataField, searchField } from '../../../platform/http/list-query.ts';
import { createdFilters } from '../../../platform/lists/created.cte.ts';
import { listFilters } from '../../../platform/lists/filters.ts';
import { listStatements } from '../../../platform/lists/list-statements.ts';
import { hasMetadata } from '../../../platform/lists/metadata.cte.ts';
import { modeFilter } from '../../../platform/lists/modes.cte.ts';
import { searchLimit } from '../../../platform/lists/search.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { type CustomerRow, customerColumns } from './statements.ts';

/** The filters of the list, on `customer c`. */
export const customerFilters = listFilters({
  email: {
    field: Type.Optional(
      Type.String({ minLength: 1, maxLength: 254, description: 'Only customers with this address; case is ignored.' }),
    ),
    type: 'text',
    condition: (value) => `lower(c.email) = lower(${value})`,
  },
  externalId: {
    field: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Only the customer with this id.' })),
    type: 'text',
    condition: (value) => `c.external_id = ${value}`,
  },
  name: {
    field: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Only customers whose name contains this text; case is ignored.',
      }),
    ),
    type: 'text',
    condition: (value) => `position(lower(${value}) in lower(c.name)) > 0`,
    counted: false,
  },
  metadata: {
    field: metadataField,
    type: 'json',
    condition: (value) => hasMetadata('c.metadata', value),
    counted: false,
  },
  ...createdFilters('c.created_at'),
  modes: modeFilter('c.livemode'),
  /** Found by `findBySearch`. */
  ids: { type: 'bigint[]', condition: (value) => `c.id = any (${value})` },
});

export const customerSearch = searchField('their id, mail address, external id or the beginning of their name');

export const statements = listStatements<CustomerRow, 'ids' | 'externalId' | 'email'>(
  'customers',
  { from: 'customer c', alias: 'c', key: 'bigint' },
  customerColumns,
  customerFilters,
  ['ids', 'externalId', 'email'],
);

/** The indexed length of a name. */
export const indexedName = 40;

/**
 * Searches customers; each branch uses its own index. Values: tenants; the text as an integer (null: it is none) and
 * unchanged; a pattern for the first characters of a name that begins with the text.
 */
export const findBySearch = statement<{ id: number }>(
  'customers.find_by_search',
  `select found.id
     from unnest($1::bigint[]) as visible (tenant_id)
    cross join lateral (
      select id from customer where tenant_id = visible.tenant_id and id = $2::bigint
      union
      select id from customer where tenant_id = visible.tenant_id and external_id = $3
      union
      (select id from customer where tenant_id = visible.tenant_id and lower(email) = lower($3) limit ${searchLimit})
      union
      (select id from customer
        where tenant_id = visible.tenant_id and lower(left(name, ${indexedName})) like lower($4)
          and starts_with(lower(name), lower($3)) limit ${searchLimit})
    ) as found
    limit ${searchLimit}`,
);
