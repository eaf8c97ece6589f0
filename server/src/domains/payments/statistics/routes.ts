import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { PaymentsApp } from '../app.ts';
import { recentOf } from './recent.ts';
import { recentQuery, recentRow, seriesQuery, seriesRow, summary, summaryQuery } from './schema.ts';
import { seriesOf } from './series.ts';
import { summaryOf } from './summary.ts';

const { get } = routesFor<PaymentsApp>();

export const statisticsRoutes: readonly Route<PaymentsApp>[] = [
  get('/api/statistics/summary', 'transaction_read', 'Statistics', {
    summary: 'Get payment totals',
    description:
      'Counts and amounts of payments by the UTC day of their creation, and results of charges by the day on which ' +
      'they ended. Always exact.',
    query: summaryQuery,
    data: summary,
    handle: async ({ query, principal }, app) => ({ data: await summaryOf(query, principal, app) }),
  }),

  get('/api/statistics/series', 'transaction_read', 'Statistics', {
    summary: 'Get payment totals by day',
    description: 'The figures of the summary for each day, oldest first; at most 366 days.',
    query: seriesQuery,
    data: Type.Array(seriesRow),
    handle: async ({ query, principal }, app) => ({ data: await seriesOf(query, principal, app) }),
  }),

  get('/api/statistics/recent', 'transaction_read', 'Statistics', {
    summary: 'Compare the charges of the last 24 hours with the week before',
    description:
      'By channel: how charges ended in the last 24 hours, and in the seven days before. A channel without ' +
      'charges in these eight days has no row.',
    query: recentQuery,
    data: Type.Array(recentRow),
    handle: async ({ query, principal }, app) => ({ data: await recentOf(query, principal, app) }),
  }),
];
