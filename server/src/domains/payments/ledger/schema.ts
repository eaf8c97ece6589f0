import { Type } from 'typebox';
import { day, dayFields, pageFields } from '../../../platform/http/list-query.ts';
import { type Account, accounts } from './accounts.ts';

const account = Type.Enum(Object.keys(accounts) as Account[]);
const currency = Type.Optional(
  Type.String({
    pattern: '^[A-Z]{3}$',
    title: 'an ISO 4217 code in capitals',
    description: 'Only this currency.',
  }),
);

export const balanceQuery = Type.Object({
  currency,
  date: day('As it was at the end of this UTC day: YYYY-MM-DD. As it is now without it.'),
});

/** A sum may exceed what a JSON number carries exactly, 2^53 − 1: it is written in digits. */
const sum = (description: string) => Type.String({ description });

export const accountBalance = Type.Object({
  currency: Type.String(),
  account,
  debit: sum('All that was debited, in minor units, in decimal digits.'),
  credit: sum('All that was credited, likewise.'),
  balance: sum('`debit` less `credit`; begins with `-` where more was credited.'),
});

export const entriesQuery = Type.Object({
  ...pageFields,
  transactionId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only entries of this payment and of its refunds.' }),
  ),
  account: Type.Optional(account),
  currency,
  ...dayFields,
});

export const entry = Type.Object({
  account,
  side: Type.Enum(['DEBIT', 'CREDIT']),
  amount: Type.Integer({ description: 'In minor units.' }),
  currency: Type.String(),
  counterAccount: Type.Enum(Object.keys(accounts) as Account[], {
    description: 'The account on the other side of the same transfer.',
  }),
  transactionId: Type.String({ description: 'The payment.' }),
  refundId: Type.Union([Type.String(), Type.Null()], { description: 'The refund that was booked; null: the payment.' }),
  channelId: Type.Integer({ description: 'The channel that the money went through.' }),
  createdTime: Type.String({ description: 'When it was booked.' }),
});
