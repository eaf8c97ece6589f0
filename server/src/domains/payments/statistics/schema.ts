import { Type } from 'typebox';
import { day, tenantField } from '../../../platform/http/list-query.ts';
import { currencyCode, described, livemode, livemodeFilter, long } from '../../../platform/http/shapes.ts';
import { transactionStatus } from '../transactions/states.ts';

export const summaryQuery = Type.Object({
  startDate: day('The first day (UTC, YYYY-MM-DD), inclusive. Default: 29 days before `endDate`.'),
  endDate: day('The last day (UTC, YYYY-MM-DD), inclusive. Default: today.'),
  channelId: Type.Optional(long('Only payments through this channel.')),
  currency: Type.Optional(currencyCode('Only payments in this currency.')),
  status: Type.Optional(transactionStatus),
  userId: Type.Optional(long('Only payments created by this user or with one of their keys.')),
  tenantId: tenantField,
  livemode: livemodeFilter,
});

export const seriesQuery = Type.Object({
  ...summaryQuery.properties,
  groupBy: Type.Optional(
    Type.Enum(['channel', 'status', 'currency'], {
      description: 'One row for each day and each of these. Default: one row for each day.',
    }),
  ),
});

const sums = {
  count: Type.Integer({ description: 'Number of payments.' }),
  amounts: Type.Array(
    Type.Object({
      currency: Type.String(),
      count: Type.Integer(),
      amount: Type.String({ description: 'In minor units, as decimal digits: a sum may exceed 2^53.' }),
    }),
    {
      description: 'Number and amount by currency: `currency`, `count`, and `amount` as a string of minor units.',
    },
  ),
};

const rates = {
  charges: Type.Union(
    [Type.Object({ succeeded: Type.Integer(), failed: Type.Integer(), cancelled: Type.Integer() }), Type.Null()],
    {
      description:
        'Ended charges: how many `succeeded`, `failed` (even if a fallback channel then succeeded) and were ' +
        '`cancelled`.',
    },
  ),
  successRate: Type.Union([Type.Number(), Type.Null()], {
    description: 'succeeded ÷ (succeeded + failed), from 0 to 1, rounded to four digits. Null without such charges.',
  }),
};

export const recentQuery = Type.Object({ tenantId: tenantField, livemode: livemodeFilter });

const ratesOf = (description: string) => Type.Object(rates, { description });

export const recentRow = Type.Object(
  {
    channelId: Type.Integer(),
    channelName: Type.String(),
    recent: ratesOf('Charges that ended in the last 24 hours: in whole UTC hours, with the one that has begun.'),
    before: ratesOf('Charges that ended in the seven days before those.'),
  },
  { $id: 'RecentCharges' },
);

const disputes = {
  disputes: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'How many disputes began, by the UTC day on which Florin learned of them; without inquiries and money that ' +
      'came back without a dispute. Null with a filter by user or status.',
  }),
  disputeRate: Type.Union([Type.Number(), Type.Null()], {
    description: 'disputes ÷ charges that succeeded, rounded to four digits. Null without such charges.',
  }),
};

export const summary = Type.Object(
  {
    livemode,
    startDate: Type.String({ description: 'The first day.' }),
    endDate: Type.String({ description: 'The last day, inclusive.' }),
    ...sums,
    ...rates,
    ...disputes,
    statuses: Type.Array(Type.Object({ status: transactionStatus, ...sums }), {
      description: 'The same `count` and `amounts` by `status`.',
    }),
    channels: Type.Array(
      Type.Object({ channelId: Type.Integer(), channelName: Type.String(), ...sums, ...rates, ...disputes }),
      {
        description: 'All of the above by `channelId` and `channelName`.',
      },
    ),
  },
  { $id: 'StatisticsSummary' },
);

export const seriesRow = Type.Object(
  {
    day: Type.String({ description: 'YYYY-MM-DD, in UTC.' }),
    channelId: Type.Optional(Type.Integer({ description: 'Grouped by channel.' })),
    channelName: Type.Optional(Type.String({ description: 'Grouped by channel.' })),
    status: Type.Optional(described(transactionStatus, 'Grouped by status.')),
    currency: Type.Optional(Type.String({ description: 'Grouped by currency.' })),
    ...sums,
    ...rates,
  },
  { $id: 'StatisticsRow' },
);
