import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { IdentityApp } from '../app.ts';
import { listViews, modifyView, removeView } from './manage.ts';
import { modifyViewInput, removeViewInput, viewQuery, viewRecord } from './schema.ts';

export const group = 'Views';

const { get, post } = routesFor<IdentityApp>();

export const viewRoutes: readonly Route<IdentityApp>[] = [
  get('/api/view/list', 'session', group, {
    summary: "List the caller's saved views",
    description: 'By list, oldest first; those of other users are never shown.',
    query: viewQuery,
    data: Type.Array(viewRecord),
    handle: async (call, app) => ({ data: await listViews(call, app) }),
  }),

  post('/api/view/modify', 'session', group, {
    summary: 'Save a view',
    description:
      'Replaces the view of the same list and name. Without a name it is the default view, with which the list opens.',
    body: modifyViewInput,
    refuses: ['view_limit_reached'],
    data: viewRecord,
    message: 'View saved',
    handle: async (call, app) => ({ data: await modifyView(call, app) }),
  }),

  post('/api/view/remove', 'session', group, {
    summary: 'Remove a view',
    description: 'Changes nothing if the caller has no view of this name.',
    body: removeViewInput,
    data: Type.Null(),
    handle: async (call, app) => {
      await removeView(call, app);
      return { message: 'View removed', data: null };
    },
  }),
];
