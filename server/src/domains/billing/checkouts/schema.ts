import { Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { form } from '../../../core/refusal-rules.ts';
import { listFields, timeFields } from '../../../platform/http/list-query.ts';
import {
  currencyCode,
  described,
  keptMetadata,
  livemode,
  livemodeFilter,
  long,
  metadata,
  nullable,
  updatedTime,
  webAddress,
} from '../../../platform/http/shapes.ts';
import { forTenant, tenantIdOnWire } from '../../identity/tenants/schema.ts';
import { captureMethod } from '../../payments/transactions/record.ts';
import { checkoutFilters } from './list-statements.ts';
import { checkoutStatuses } from './rules.ts';

export const checkoutInput = Type.Object(
  {
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maximumAmount,
        description: 'In minor units (cents), 1 to 9007199254740991. Not with `invoiceId`.',
      }),
    ),
    currency: Type.Optional(currencyCode('With `amount`. Every channel must support it.')),
    invoiceId: Type.Optional(
      long(
        'Instead of `amount` and `currency`: the page shows this invoice and takes its remaining amount. ' +
          'Also needs the scope `invoice_write`.',
      ),
    ),
    channelIds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
        minItems: 1,
        maxItems: 5,
        uniqueItems: true,
        description:
          'The channels that the payer can choose from, shown by name in this order. All must have the same mode. ' +
          "Default for an invoice: its channel, or its customer's default channel.",
      }),
    ),
    captureMethod: Type.Optional(
      described(
        captureMethod,
        'MANUAL: what the payer pays is only authorized, and `POST /api/transaction/capture` takes it. Every channel ' +
          'must be able to. Default: AUTOMATIC.',
      ),
    ),
    returnUrl: Type.Optional(webAddress('Where the page links to when the payment has ended.')),
    description: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'What the payment is for: shown on the page, and copied to the payment. Not with `invoiceId`.',
      }),
    ),
    customerId: Type.Optional(
      long('A customer of this service or of another system, copied to the payment. Not with `invoiceId`.'),
    ),
    expiresTime: Type.Optional(
      Type.String({
        format: 'date-time',
        maxLength: 40,
        title: form('iso_time'),
        description:
          'When the page expires: at least a minute and at most 366 days from now. Default: ' +
          '24 hours from now; for an invoice 30 days.',
      }),
    ),
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 31_622_400,
        description: 'The same in seconds from now, 60 to 31622400. Not together with `expiresTime`.',
      }),
    ),
    metadata: Type.Optional(metadata),
    ...forTenant,
  },
  {
    $id: 'CheckoutCreateInput',
    additionalProperties: false,
    description: 'Needs `amount`, `currency` and `channelIds`, or `invoiceId`.',
  },
);

export const checkoutQuery = Type.Object({ id: long('The checkout.') });
export const expireInput = Type.Object(
  { id: long('The checkout.') },
  { $id: 'CheckoutExpireInput', additionalProperties: false },
);

const status = Type.Enum([...checkoutStatuses], {
  description:
    'OPEN: it can be paid. PROCESSING: a payment is in progress, or waits for its capture. EXPIRED: ' +
    'its time is over, it was closed, or its invoice can no longer be paid. ' +
    'After a payment that failed it is OPEN again.',
});

export const checkoutListQuery = Type.Object({
  ...listFields,
  ...checkoutFilters.fields,
  status: Type.Optional(Type.Enum([...checkoutStatuses])),
  ...timeFields,
  livemode: livemodeFilter,
});

export const checkoutRecord = Type.Object(
  {
    id: Type.Integer(),
    livemode,
    status,
    url: nullable(
      Type.String({
        description:
          "The URL of the payer's page. It is a secret: without a login, the page shows the purchase, " +
          'and payments can be made and given up on it. null when the checkout is EXPIRED, ' +
          'and for callers without `transaction_write`.',
      }),
    ),
    amount: nullable(Type.Integer({ description: 'In minor units. null: the remaining amount of the invoice.' })),
    currency: Type.String(),
    invoiceId: nullable(Type.Integer()),
    channelIds: Type.Array(Type.Integer()),
    captureMethod,
    customerId: nullable(Type.Integer()),
    description: nullable(Type.String()),
    metadata: keptMetadata,
    returnUrl: nullable(Type.String()),
    transactionId: nullable(
      Type.String({
        description: 'The payment that has paid the amount; otherwise the newest one that was made on the page.',
      }),
    ),
    amountToReturn: Type.Integer({
      description:
        'What payments took although the amount was paid already, as far as no refund returns it: ' +
        'refund those payments. In minor units. Always 0 for an invoice, which has an amount of its own.',
    }),
    userId: Type.Integer({ description: 'The user who created it, and in whose name its payments are created.' }),
    expiresTime: Type.String(),
    createdTime: Type.String(),
    updatedTime,
  },
  { $id: 'Checkout' },
);

/** A checkout as a row of the list. */
export const checkoutRow = Type.Object(
  { ...checkoutRecord.properties, tenantId: Type.Optional(tenantIdOnWire) },
  { $id: 'CheckoutListItem' },
);

export const portalInput = Type.Object(
  { customerId: long('The customer.'), returnUrl: Type.Optional(webAddress('Where the page links back to.')) },
  { $id: 'CustomerPortalInput', additionalProperties: false },
);

export const portalRecord = Type.Object(
  {
    customerId: Type.Integer(),
    livemode,
    url: Type.String({ description: 'The URL of the portal, a secret. It is only shown once.' }),
    returnUrl: nullable(Type.String()),
    expiresTime: Type.String({ description: 'One hour after it was created.' }),
  },
  { $id: 'CustomerPortal' },
);
