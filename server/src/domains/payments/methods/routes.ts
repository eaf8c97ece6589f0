import { Type } from 'typebox';
import { pagingOf } from '../../../platform/http/list-query.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { PaymentsApp } from '../app.ts';
import { acceptanceRefusals } from '../channels/rules.ts';
import { setDefaultMethod } from './default.ts';
import { detachMethod } from './detach.ts';
import { listMethods } from './list.ts';
import { readMethod } from './read.ts';
import { method } from './record.ts';
import {
  defaultInput,
  detachInput,
  listedMethod,
  methodListQuery,
  methodQuery,
  methodRecord,
  setupInput,
} from './schema.ts';
import { setUpMethod } from './setup.ts';

const { get, postOnce } = routesFor<PaymentsApp>();

export const methodRoutes: readonly Route<PaymentsApp>[] = [
  postOnce('/api/payment-method/setup', 'transaction_write', 'Payment methods', {
    summary: 'Set up a payment method',
    events: 2,
    description:
      'Sets a payment method up at the provider of a channel, so that its customer can be charged again. It moves no ' +
      'money. The answer is PENDING; `payment_method.attached`, `payment_method.action_required` or ' +
      '`payment_method.failed` tells what becomes of it.',
    body: setupInput,
    refuses: [...acceptanceRefusals, 'channel_cannot', 'setup_needs_payment'],
    data: methodRecord,
    message: 'Payment method is being set up',
    handle: setUpMethod,
  }),

  get('/api/payment-method/detail', 'transaction_read', 'Payment methods', {
    summary: 'Get a payment method',
    query: methodQuery,
    data: methodRecord,
    handle: async ({ query, principal }, { database }) => ({
      data: method.show(await readMethod(database, query.id, principal)),
    }),
  }),

  get('/api/payment-method/list', 'transaction_read', 'Payment methods', {
    summary: 'List payment methods',
    description: `Newest first. ${pagingOf('payment methods', [])}`,
    query: methodListQuery,
    data: Type.Array(listedMethod),
    paged: 'by_page_or_cursor',
    handle: listMethods,
  }),

  postOnce('/api/payment-method/default', 'transaction_write', 'Payment methods', {
    summary: 'Make a payment method the default',
    events: 1,
    description: "Renewals are charged with the customer's default, where the subscription names no method.",
    body: defaultInput,
    refuses: ['payment_method_unusable'],
    data: methodRecord,
    message: 'Default payment method changed',
    handle: setDefaultMethod,
  }),

  postOnce('/api/payment-method/detach', 'transaction_write', 'Payment methods', {
    summary: 'Detach a payment method',
    events: 2,
    description:
      'Removes a payment method, here at once and shortly afterwards at its provider. A charge that was sent goes ' +
      'on. One that is detached already is returned unchanged.',
    body: detachInput,
    refuses: ['payment_method_unusable', 'payment_method_in_use'],
    data: methodRecord,
    message: 'Payment method detached',
    handle: detachMethod,
  }),
];
