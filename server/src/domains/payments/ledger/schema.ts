import { Type } from 'typebox';
import { day, dayFields, pageFields, tenantField } from '../../../platform/http/list-query.ts';
import { currencyCode, described, idOf, livemode, livemodeFilter } from '../../../platform/http/shapes.ts';
import { type Account, accounts } from './accounts.ts';

export const account = Type.Enum(Object.keys(accounts) as Account[], { $id: 'LedgerAccount' });
const currency = Type.Optional(currencyCode('Only this currency.'));

export const balanceQuery = Type.Object({
  currency,
  date: day('The balances at the end of this UTC day, YYYY-MM-DD. Omit for the current balances.'),
  tenantId: tenantField,
  livemode: livemodeFilter,
});

/** Sums are strings of digits because they can exceed 2^53 − 1, the largest integer that is exact as a JSON number. */
const sum = (description: string) => Type.String({ description });

export const accountBalance = Type.Object(
  {
    livemode,
    currency: Type.String(),
    account,
    debit: sum('The sum of the debits, in minor units, as decimal digits.'),
    credit: sum('The sum of the credits, in the same form.'),
    balance: sum('`debit` minus `credit`; begins with `-` if the credits are higher.'),
  },
  { $id: 'AccountBalance' },
);

export const entriesQuery = Type.Object({
  ...pageFields,
  transactionId: Type.Optional(idOf('txn', 'Only entries of this payment and of its refunds.')),
  account: Type.Optional(account),
  currency,
  ...dayFields,
  tenantId: tenantField,
  livemode: livemodeFilter,
});

export const entry = Type.Object(
  {
    livemode,
    account,
    side: Type.Enum(['DEBIT', 'CREDIT']),
    amount: Type.Integer({ description: 'In minor units.' }),
    currency: Type.String(),
    counterAccount: described(account, 'The account on the other side of the same transfer.'),
    transactionId: Type.String({ description: 'The payment.' }),
    refundId: Type.Union([Type.String(), Type.Null()], {
      description: 'The refund of this entry; null: it is of the payment or a capture.',
    }),
    captureId: Type.Union([Type.String(), Type.Null()], {
      description:
        'The capture of this entry; null: it is of a refund, or of a payment that is captured automatically.',
    }),
    disputeId: Type.Union([Type.String(), Type.Null()], {
      description: 'The dispute whose funds or fee this is; null: it is none.',
    }),
    channelId: Type.Integer({ description: 'The channel through which the money moved.' }),
    createdTime: Type.String({ description: 'The time of the entry.' }),
  },
  { $id: 'LedgerEntry' },
);
