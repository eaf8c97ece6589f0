import { Type } from 'typebox';
import { long } from '../../../platform/http/shapes.ts';
import { listFilters } from '../../../platform/lists/filters.ts';
import { listStatements } from '../../../platform/lists/list-statements.ts';
import { modeFilter } from '../../../platform/lists/modes.cte.ts';
import type { MethodRow } from './record.ts';
import { methodColumns } from './statements.ts';
import { methodStatus } from './states.ts';

/** The filters of the list, on `payment_method m`. */
export const methodFilters = listFilters({
  customerId: {
    field: Type.Optional(long('Only methods of this customer.')),
    type: 'bigint',
    condition: (value) => `m.customer_id = ${value}`,
  },
  status: {
    field: Type.Optional(methodStatus),
    type: 'text',
    condition: (value) => `m.status = ${value}`,
  },
  channelId: {
    field: Type.Optional(long('Only methods that the provider of this channel keeps.')),
    type: 'bigint',
    condition: (value) => `m.channel_id = ${value}`,
  },
  modes: modeFilter('m.livemode'),
});

export const statements = listStatements<MethodRow, 'customerId'>(
  'methods',
  { from: 'payment_method m', alias: 'm', key: 'uuid' },
  methodColumns,
  methodFilters,
  ['customerId'],
);
