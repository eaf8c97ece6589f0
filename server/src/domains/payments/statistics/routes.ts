import { Type } from 'typebox';
import { get, type Route } from '../../../platform/http/route.ts';
import type { StatisticsDeps } from './deps.ts';
import { seriesQuery, seriesRow, summary, summaryQuery } from './schema.ts';
import { seriesOf } from './series.ts';
import { summaryOf } from './summary.ts';

export function statisticsRoutes(deps: StatisticsDeps): Route[] {
  return [
    get('/api/statistics/summary', 'transaction_read', 'Statistics', {
      summary: 'Sum payments up',
      description:
        'Counts and amounts of payments by the UTC day on which they were created, and what became of charges by the day ' +
        'on which they ended. Exact at every moment.',
      query: summaryQuery,
      data: summary,
      handle: async ({ query, principal }) => ({ data: await summaryOf(query, principal, deps) }),
    }),

    get('/api/statistics/series', 'transaction_read', 'Statistics', {
      summary: 'Sum payments up by day',
      description: 'The same figures day by day, oldest first; at most 366 days.',
      query: seriesQuery,
      data: Type.Array(seriesRow),
      handle: async ({ query, principal }) => ({ data: await seriesOf(query, principal, deps) }),
    }),
  ];
}
