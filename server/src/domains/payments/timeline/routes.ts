import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { PaymentsApp } from '../app.ts';
import { maximumSteps, readTimeline } from './read.ts';
import { timelineQuery, timelineStep } from './schema.ts';

const { get } = routesFor<PaymentsApp>();

export const timelineRoutes: readonly Route<PaymentsApp>[] = [
  get('/api/transaction/timeline', 'transaction_read', 'Transactions', {
    summary: 'Read the timeline of a transaction',
    description: `Every step, oldest first: the creation and at most the newest ${maximumSteps} others.`,
    query: timelineQuery,
    data: Type.Array(timelineStep),
    handle: async ({ query, principal }, app) => ({ data: await readTimeline(query.id, principal, app) }),
  }),
];
