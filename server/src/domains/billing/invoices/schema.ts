import { type TSchema, Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { form } from '../../../core/refusal-rules.ts';
import { listFields, tenantField, timeFields } from '../../../platform/http/list-query.ts';
import {
  changesSomething,
  currencyCode,
  described,
  keptAddress,
  keptMetadata,
  livemode,
  livemodeFilter,
  long,
  metadata,
  metadataChange,
  nullable,
  webAddress,
} from '../../../platform/http/shapes.ts';
import { forTenant, tenantIdOnWire } from '../../identity/tenants/schema.ts';
import { methodId } from '../../payments/methods/schema.ts';
import { failureFallback, failureRetry } from '../../payments/providers/failure-schema.ts';
import { lines } from '../../payments/transactions/purchase-schema.ts';
import { captureMethod } from '../../payments/transactions/record.ts';
import { invoiceFilters, invoiceSearch } from './list-statements.ts';
import { invoiceStatuses, paymentStates } from './states.ts';

const day = Type.String({ format: 'date', pattern: '^(?!0000)', title: form('day') });

export const invoiceInput = Type.Object(
  {
    customerId: long('The customer to invoice.'),
    currency: currencyCode(),
    lines,
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    metadata: Type.Optional(metadata),
    channelId: Type.Optional(long("The channel to pay the invoice on. Default: the customer's default channel.")),
    dueDate: Type.Optional({
      ...day,
      description: 'The last day for payment, YYYY-MM-DD in UTC. Default: the day on which the invoice is finalized.',
    }),
    ...forTenant,
  },
  { $id: 'InvoiceCreateInput', additionalProperties: false },
);

export const invoiceQuery = Type.Object({ id: long('The invoice.') });

export const invoiceListQuery = Type.Object({
  ...listFields,
  ...invoiceFilters.fields,
  search: invoiceSearch,
  ...timeFields,
  livemode: livemodeFilter,
});

/** A field that null clears. */
const clearable = <Shape extends TSchema>(shape: Shape, title: string, description: string) =>
  Type.Optional(Type.Union([shape, Type.Null()], { title, description: `${description} null clears it.` }));

export const modifyInput = Type.Object(
  {
    id: long('A DRAFT.'),
    lines: Type.Optional(lines),
    description: clearable(
      Type.String({ maxLength: 2000 }),
      form('text_or_null', { limit: 2000 }),
      'Shown on the invoice.',
    ),
    ...metadataChange,
    channelId: clearable(
      long('The channel.'),
      form('id_of_or_null', { noun: 'channel' }),
      'The channel to pay the invoice on.',
    ),
    dueDate: clearable(day, form('day_or_null'), 'The last day for payment, in UTC.'),
  },
  { $id: 'InvoiceModifyInput', additionalProperties: false, description: changesSomething },
);

export const finalizeInput = Type.Object(
  { id: long('A DRAFT.') },
  { $id: 'InvoiceFinalizeInput', additionalProperties: false },
);

export const voidInput = Type.Object(
  {
    id: long('The invoice.'),
    uncollectible: Type.Optional(
      Type.Boolean({ description: 'true: the invoice becomes UNCOLLECTIBLE instead of VOID and can still be paid.' }),
    ),
  },
  { $id: 'InvoiceVoidInput', additionalProperties: false },
);

export const sendInput = Type.Object(
  { id: long('The invoice.') },
  { $id: 'InvoiceSendInput', additionalProperties: false },
);

export const sentInvoice = Type.Object(
  { id: Type.Integer(), email: Type.String({ description: 'The address of the customer, to which it is mailed.' }) },
  { $id: 'InvoiceSendResult' },
);

export const payInput = Type.Object(
  {
    id: long('The invoice.'),
    channelId: Type.Optional(
      long("The channel to pay on. Default: the invoice's channel, else the customer's default channel."),
    ),
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maximumAmount,
        description: 'In minor units, 1 to 9007199254740991. Default: the remaining amount.',
      }),
    ),
    paymentMethod: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        writeOnly: true,
        description: "The provider's token of the payment method, charged once.",
      }),
    ),
    methodId: Type.Optional({
      ...methodId,
      description:
        "The customer's payment method to charge, without the payer, on its own channel. Excludes `paymentMethod`. " +
        "With neither, that of the subscription or the customer's default is charged, if `channelId` is left out or " +
        'is its channel; otherwise the payer chooses.',
    }),
    captureMethod: Type.Optional(
      described(
        captureMethod,
        'MANUAL: the payment is only authorized, which reserves its amount on the invoice, and ' +
          '`POST /api/transaction/capture` takes and pays it. Default: AUTOMATIC.',
      ),
    ),
    returnUrl: Type.Optional(
      webAddress(
        "Where the payer's browser is redirected after the provider's page. " +
          'Default: a page that says what became of it.',
      ),
    ),
  },
  { $id: 'InvoicePayInput', additionalProperties: false },
);

export const sellerRecord = Type.Object({
  name: Type.String(),
  address: keptAddress,
  taxId: nullable(Type.String()),
});

/** An invoice without its lines and payments, as in lists. */
export const listedInvoice = Type.Object({
  id: Type.Integer(),
  livemode,
  number: nullable(
    Type.String({
      description: 'Such as `INV-000001`, of a test invoice `TEST-000001`; null until the invoice is finalized.',
    }),
  ),
  customerId: Type.Integer(),
  status: Type.Enum([...invoiceStatuses]),
  currency: Type.String(),
  subtotal: Type.Integer({ description: 'The sum of the lines without tax. All amounts are in minor units.' }),
  tax: Type.Integer(),
  total: Type.Integer({ description: '`subtotal` + `tax`.' }),
  amountDue: Type.Integer({ description: '`total`; 0 when the invoice is VOID.' }),
  amountPaid: Type.Integer({ description: 'What successful payments have paid of it; never more than `total`.' }),
  amountRemaining: Type.Integer({ description: '`amountDue` − `amountPaid`.' }),
  amountUnderWay: Type.Integer({
    description:
      'The sum of the payments that have not ended: those in progress, and those that wait for a person and ' +
      'reserve nothing.',
  }),
  amountRefunded: Type.Integer({
    description:
      'The refunded amount of what its payments paid. A refund changes neither `status` nor `amountPaid` nor ' +
      '`version`.',
  }),
  amountToReturn: Type.Integer({
    description:
      'What payments took although nothing, or less, was left to pay, as far as no refund returns it. ' +
      '[Refund](refunds.md) those payments.',
  }),
  nextPaymentAttempt: nullable(
    Type.String({
      description:
        'When the failed payment of a subscription is retried. null: no retry is scheduled, or one is in progress.',
    }),
  ),
  channelId: nullable(Type.Integer()),
  description: nullable(Type.String()),
  metadata: keptMetadata,
  seller: Type.Union([sellerRecord, Type.Null()], {
    description:
      'The tenant as it was when the invoice was finalized. null: ' +
      'a DRAFT, or finalized by a version that did not record it.',
  }),
  dueDate: nullable(Type.String({ description: 'YYYY-MM-DD, in UTC.' })),
  overdueTime: nullable(
    Type.String({
      description: 'When it was found unpaid after its due date. It stays when the invoice is paid later.',
    }),
  ),
  subscriptionId: nullable(Type.Integer()),
  periodStart: nullable(Type.String({ description: 'When the invoiced billing period of the subscription begins.' })),
  periodEnd: nullable(Type.String()),
  userId: Type.Integer({ description: 'The user who created it.' }),
  version: Type.Integer({ description: 'Rises with every change, so that a receiver can ignore outdated events.' }),
  createdTime: Type.String(),
  finalizedTime: nullable(Type.String()),
  paidTime: nullable(Type.String()),
  closedTime: nullable(Type.String({ description: 'When it became VOID or UNCOLLECTIBLE.' })),
  updatedTime: Type.String(),
});

/** An invoice as a row of the list. */
export const invoiceRow = Type.Object(
  { ...listedInvoice.properties, tenantId: Type.Optional(tenantIdOnWire) },
  { $id: 'InvoiceListItem' },
);

export const lineRecord = Type.Object(
  {
    description: Type.String(),
    quantity: Type.Integer(),
    unitAmount: Type.Integer(),
    amount: Type.Integer(),
    taxRate: nullable(Type.Integer()),
    taxAmount: Type.Integer(),
  },
  { $id: 'InvoiceLine' },
);

export const paymentRecord = Type.Object(
  {
    transactionId: nullable(Type.String()),
    amount: Type.Integer(),
    amountExcess: Type.Integer({ description: 'What it took beyond what was left to pay.' }),
    // Deliveries have the same states: generated clients know both by this name.
    state: Type.Enum([...paymentStates], { $id: 'DeliveryState' }),
    automatic: Type.Boolean(),
    failureCode: nullable(Type.String()),
    failureMessage: nullable(Type.String()),
    createdTime: Type.String(),
    finishedTime: nullable(Type.String()),
  },
  { $id: 'InvoicePayment' },
);

export const invoiceRecord = Type.Object(
  {
    ...listedInvoice.properties,
    lines: Type.Array(lineRecord, {
      description: '`description`, `quantity`, `unitAmount`, `amount`, `taxRate` (basis points, or null), `taxAmount`.',
    }),
    payments: Type.Array(paymentRecord, {
      description:
        'The newest 100, newest first: `transactionId` (null: no payment could be created), `amount`, ' +
        '`amountExcess` (what it took beyond what was left to pay), `state`, `automatic`, `failureCode`, ' +
        '`failureMessage`, `createdTime`, `finishedTime`.',
    }),
  },
  { $id: 'Invoice' },
);

export const paidInvoice = Type.Object(
  {
    invoice: invoiceRecord,
    transactionId: Type.String({ description: 'The new payment. Its outcome settles the invoice.' }),
  },
  { $id: 'InvoicePayResult' },
);

/** The object of `invoice.paid` and `invoice.payment_failed`: the invoice, and the payment that caused the event. */
export const invoiceInPaymentEvent = Type.Object(
  {
    ...invoiceRecord.properties,
    transactionId: nullable(Type.String({ description: 'The payment; null: there was none.' })),
    failureCode: nullable(Type.String({ description: 'Why the payment failed.' })),
    failureMessage: nullable(Type.String()),
    fallback: failureFallback,
    retry: failureRetry,
  },
  { $id: 'InvoiceInPaymentEvent' },
);

export const summaryQuery = Type.Object({
  customerId: Type.Optional(long('Only invoices of this customer.')),
  tenantId: tenantField,
  livemode: livemodeFilter,
});

const sum = (description: string) => Type.String({ description: `${description}, in minor units as decimal digits.` });

export const invoiceSummary = Type.Object(
  {
    livemode,
    currencies: Type.Array(
      Type.Object({
        currency: Type.String(),
        open: Type.Integer({ description: 'How many invoices are OPEN.' }),
        overdue: Type.Integer({ description: 'How many of them are overdue.' }),
        amountRemaining: sum('What is left to pay of those that are OPEN'),
        amountOverdue: sum('What is left to pay of those that are overdue'),
      }),
      { description: 'Those with the most open invoices first.' },
    ),
  },
  { $id: 'InvoiceSummary' },
);
