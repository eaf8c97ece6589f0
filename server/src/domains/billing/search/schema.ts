import { Type } from 'typebox';
import { tenantField } from '../../../platform/http/list-query.ts';
import { livemodeFilter, nullable } from '../../../platform/http/shapes.ts';
import { transactionStatus } from '../../payments/transactions/states.ts';
import { invoiceStatuses } from '../invoices/states.ts';
import { subscriptionState } from '../subscriptions/states.ts';

export const searchQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'Words, all of which a record must have, in any order: without regard to case and accents, and each anywhere ' +
      'in a word of the record. A word of one character counts beside others only.',
  }),
  livemode: livemodeFilter,
  tenantId: tenantField,
});

const customerName = nullable(Type.String({ description: 'As the customer is called now.' }));
const createdTime = Type.String();
const amount = (description: string) => Type.Integer({ description });

export const foundPayment = Type.Object({
  id: Type.String(),
  amount: amount('In minor units.'),
  currency: Type.String(),
  status: transactionStatus,
  amountCaptured: amount('What was taken: `amount` from SUCCESS on, or what captures took.'),
  amountRefunded: amount('A payment is REFUNDED from its first refund on; this is how much of it.'),
  description: nullable(Type.String()),
  customerName,
  createdTime,
});

export const foundCustomer = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  email: nullable(Type.String()),
  createdTime,
});

export const foundInvoice = Type.Object({
  id: Type.Integer(),
  number: nullable(Type.String()),
  total: amount('In minor units.'),
  currency: Type.String(),
  status: Type.Enum([...invoiceStatuses]),
  customerName,
  createdTime,
});

export const foundSubscription = Type.Object({
  id: Type.Integer(),
  state: subscriptionState,
  planName: Type.String(),
  customerName,
  createdTime,
});

const newest = 'Newest first, 20 at most. Absent without the scope to read them.';

export const searchResult = Type.Object(
  {
    payments: Type.Optional(Type.Array(foundPayment, { description: newest })),
    customers: Type.Optional(Type.Array(foundCustomer, { description: newest })),
    invoices: Type.Optional(Type.Array(foundInvoice, { description: newest })),
    subscriptions: Type.Optional(Type.Array(foundSubscription, { description: newest })),
    complete: Type.Boolean({ description: 'false: the search was ended after a second, and more may exist.' }),
  },
  { $id: 'SearchResult' },
);
