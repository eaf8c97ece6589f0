import { Type } from 'typebox';
import { get, type Route } from '../../../platform/http/route.ts';
import { seriesQuery, seriesRow, summary, summaryQuery } from './schema.ts';
import { seriesOf } from './series.ts';
import { type StatisticsDeps, summaryOf } from './summary.ts';

export function statisticsRoutes(deps: StatisticsDeps): Route[] {
  return [
    get('/api/statistics/summary', 'transaction_read', 'Statistics', {
      summary: 'Get payment totals',
      description:
        'Counts and amounts of payments by the UTC day of their creation, and results of charges by the day on which ' +
        'they ended. Always exact.',
      query: summaryQuery,
      data: summary,
      handle: async ({ query, principal }) => ({ data: await summaryOf(query, principal, deps) }),
    }),

    get('/api/statistics/series', 'transaction_read', 'Statistics', {
      summary: 'Get payment totals by day',
      description: 'The figures of the summary for each day, oldest first; at most 366 days.',
      query: seriesQuery,
      data: Type.Array(seriesRow),
      handle: async ({ query, principal }) => ({ data: await seriesOf(query, principal, deps) }),
    }),
  ];
}
