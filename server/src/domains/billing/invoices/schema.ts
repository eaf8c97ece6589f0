import { Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { pageFields } from '../../../platform/http/list-query.ts';
import { keptMetadata, long, metadata, nullable } from '../../../platform/http/shapes.ts';
import { invoiceStatuses, paymentStates } from './states.ts';

const amount = (description: string) =>
  Type.Integer({ minimum: -maximumAmount, maximum: maximumAmount, description: `In minor units. ${description}` });

const lineInput = Type.Object(
  {
    description: Type.String({ minLength: 1, maxLength: 500 }),
    quantity: Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'How many; 1 to 1000000000.' }),
    unitAmount: amount('What one costs; below 0 it is a credit.'),
    taxRate: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10_000, description: 'In basis points: 1900 is 19 %. Up to 10000.' }),
    ),
    taxAmount: Type.Optional(amount('The tax itself, instead of a rate.')),
  },
  { additionalProperties: false },
);

export const invoiceInput = Type.Object(
  {
    customerId: long('Whose it is.'),
    currency: Type.String({ minLength: 1, maxLength: 16, description: 'An ISO 4217 code.' }),
    lines: Type.Array(lineInput, {
      minItems: 1,
      maxItems: 200,
      description:
        'Each with `description`, `quantity`, `unitAmount` and, where it is taxed, `taxRate` or `taxAmount`.',
    }),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    metadata: Type.Optional(metadata),
    channelId: Type.Optional(long("Through which channel it is to be paid; the customer's default without it.")),
    dueDate: Type.Optional(
      Type.String({
        format: 'date',
        pattern: '^(?!0000)',
        title: 'a day as YYYY-MM-DD',
        description: 'The last day to pay on, in UTC: YYYY-MM-DD. Without it the day of finalizing.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const invoiceQuery = Type.Object({ id: long('The invoice.') });

export const invoiceListQuery = Type.Object({
  ...pageFields,
  status: Type.Optional(Type.Enum([...invoiceStatuses])),
  customerId: Type.Optional(long('Only invoices of this customer.')),
  subscriptionId: Type.Optional(long('Only invoices of this subscription.')),
});

export const finalizeInput = Type.Object({ id: long('A DRAFT.') }, { additionalProperties: false });

export const voidInput = Type.Object(
  {
    id: long('The invoice.'),
    uncollectible: Type.Optional(
      Type.Boolean({ description: 'true: not void, but given up: UNCOLLECTIBLE. It may still be paid one day.' }),
    ),
  },
  { additionalProperties: false },
);

export const payInput = Type.Object(
  {
    id: long('The invoice.'),
    channelId: Type.Optional(
      long("The channel to pay through; without it the invoice's, else the customer's default."),
    ),
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maximumAmount,
        description: 'In minor units, 1 to 9007199254740991; all that is left without it.',
      }),
    ),
    paymentMethod: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "The provider's token for what is paid with; the customer's without it.",
      }),
    ),
    returnUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        pattern: '^https?://[^\\s/]\\S*$',
        title: 'an http or https address',
        description: "Where the payer's browser goes when it is done at the provider; `app.public-url` without it.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const printQuery = Type.Object({
  id: long('The invoice.'),
  format: Type.Optional(Type.Enum(['html', 'pdf'], { default: 'html' })),
});

/** An invoice without its lines: what lists hold, and events. */
export const listedInvoice = Type.Object({
  id: Type.Integer(),
  number: nullable(Type.String({ description: '`INV-000001`, given when it is finalized; null until then.' })),
  customerId: Type.Integer(),
  status: Type.Enum([...invoiceStatuses]),
  currency: Type.String(),
  subtotal: Type.Integer({ description: 'In minor units, as all amounts: the lines without tax.' }),
  tax: Type.Integer(),
  total: Type.Integer({ description: '`subtotal` + `tax`.' }),
  amountDue: Type.Integer({ description: 'What it asks for in all: `total`, and 0 once it is VOID.' }),
  amountPaid: Type.Integer({ description: 'Of payments that succeeded.' }),
  amountRemaining: Type.Integer({ description: '`amountDue` − `amountPaid`.' }),
  amountUnderWay: Type.Integer({ description: 'Of payments whose end is not known yet.' }),
  channelId: nullable(Type.Integer()),
  description: nullable(Type.String()),
  metadata: keptMetadata,
  dueDate: nullable(Type.String({ description: 'YYYY-MM-DD, in UTC.' })),
  subscriptionId: nullable(Type.Integer()),
  periodStart: nullable(Type.String({ description: 'Of the subscription: when the invoiced period begins.' })),
  periodEnd: nullable(Type.String()),
  userId: Type.Integer({ description: 'Who created it.' }),
  version: Type.Integer({ description: 'Rises with every change: a receiver can drop what is old.' }),
  createdTime: Type.String(),
  finalizedTime: nullable(Type.String()),
  paidTime: nullable(Type.String()),
  closedTime: nullable(Type.String({ description: 'When it was made void or given up.' })),
  updatedTime: Type.String(),
});

const lineRecord = Type.Object({
  description: Type.String(),
  quantity: Type.Integer(),
  unitAmount: Type.Integer(),
  amount: Type.Integer(),
  taxRate: nullable(Type.Integer()),
  taxAmount: Type.Integer(),
});

const paymentRecord = Type.Object({
  transactionId: nullable(Type.String()),
  amount: Type.Integer(),
  state: Type.Enum([...paymentStates]),
  automatic: Type.Boolean(),
  failureCode: nullable(Type.String()),
  failureMessage: nullable(Type.String()),
  createdTime: Type.String(),
  finishedTime: nullable(Type.String()),
});

export const invoiceRecord = Type.Object({
  ...listedInvoice.properties,
  lines: Type.Array(lineRecord, {
    description: '`description`, `quantity`, `unitAmount`, `amount`, `taxRate` (basis points, or null), `taxAmount`.',
  }),
  payments: Type.Array(paymentRecord, {
    description:
      'The newest 100 first: `transactionId` (null: no payment could be made), `amount`, `state`, `automatic`, ' +
      '`failureCode`, `failureMessage`, `createdTime`, `finishedTime`.',
  }),
});

export const paidInvoice = Type.Object({
  invoice: invoiceRecord,
  transactionId: Type.String({ description: 'The payment that was made. What becomes of it settles the invoice.' }),
});
