import { Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { furtherFields, listFields, timeFields } from '../../../platform/http/list-query.ts';
import {
  changesSomething,
  currencyCode,
  keptMetadata,
  livemode,
  livemodeFilter,
  long,
  metadata,
  metadataChange,
  nullable,
  oneLine,
  webAddress,
} from '../../../platform/http/shapes.ts';
import { forTenant, tenantIdOnWire } from '../../identity/tenants/schema.ts';
import { lookedUpFilters, transactionFilters } from './list/filter-statements.ts';
import { transactionStatus } from './states.ts';

export const amount = Type.Integer({
  minimum: 1,
  maximum: maximumAmount,
  description: 'In minor units (cents), 1 to 9007199254740991.',
});
const currency = currencyCode('One that the channel supports.');
const description = Type.String({ maxLength: 2000 });
export const transactionId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: '`txn_` and a time-ordered part.',
});

export const createInput = Type.Object(
  {
    amount,
    currency,
    channelId: long('The channel that processes the payment.'),
    description: Type.Optional(description),
    metadata: Type.Optional(metadata),
    customerId: Type.Optional(long('A customer of this service or of another system.')),
    invoiceId: Type.Optional(
      long('The invoice that this payment pays. The id of an invoice in another system is only stored.'),
    ),
    paymentMethod: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        writeOnly: true,
        description: "The provider's token of the payment method (Stripe: `pm_…`). Without one, the payer chooses.",
      }),
    ),
    returnUrl: Type.Optional(
      webAddress("Where the provider redirects the payer's browser afterwards. Default: `app.public-url`."),
    ),
    ...forTenant,
  },
  { $id: 'TransactionCreateInput', additionalProperties: false },
);

export const updateInput = Type.Object(
  {
    id: transactionId,
    status: Type.Optional(transactionStatus),
    description: Type.Optional(description),
    ...metadataChange,
    failureCode: Type.Optional(oneLine({ maxLength: 100, description: 'Only with status FAILED.' })),
    failureMessage: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1000, description: 'Only with status FAILED.' }),
    ),
  },
  { $id: 'TransactionUpdateInput', additionalProperties: false, description: changesSomething },
);

export const detailQuery = Type.Object({ id: transactionId });

/** Fields of a payment that its row in a list has on request. */
const furtherRowFields = ['failureMessage', 'metadata', 'nextAction', 'version', 'updatedTime'] as const;

export const listQuery = Type.Object({
  ...listFields,
  ...transactionFilters.fields,
  ...lookedUpFilters,
  ...timeFields,
  livemode: livemodeFilter,
  fields: furtherFields(furtherRowFields),
});

/** A payment in the responses of create and update, and in events. */
export const transactionRecord = Type.Object(
  {
    id: Type.String(),
    livemode,
    amount,
    amountRefunded: Type.Integer(),
    currency: Type.String(),
    status: transactionStatus,
    channelId: Type.Integer(),
    description: nullable(Type.String()),
    metadata: keptMetadata,
    customerId: nullable(Type.Integer()),
    invoiceId: nullable(Type.Integer()),
    userId: Type.Integer({ description: 'The user who created it.' }),
    failureCode: nullable(Type.String()),
    failureMessage: nullable(Type.String()),
    providerReference: nullable(Type.String({ description: "The provider's id of the charge." })),
    nextAction: Type.Unsafe<{ type: string; url: string | null; clientSecret?: string } | null>({
      description: 'What the payer must do before the payment continues: `type` (`redirect`, `confirm`) and `url`.',
      type: ['object', 'null'],
      additionalProperties: true,
    }),
    version: Type.Integer({ description: 'Increases with every change, so that a receiver can discard older events.' }),
    createdTime: Type.String(),
    updatedTime: Type.String(),
  },
  { $id: 'Transaction' },
);

export const transactionDetail = Type.Object(
  { ...transactionRecord.properties, channelName: Type.String() },
  { $id: 'TransactionDetail' },
);

const { properties: record } = transactionRecord;

/** A payment as a row of the list. */
export const listedTransaction = Type.Object(
  {
    id: record.id,
    livemode,
    tenantId: Type.Optional(tenantIdOnWire),
    amount,
    amountRefunded: record.amountRefunded,
    currency: record.currency,
    status: transactionStatus,
    channelId: record.channelId,
    channelName: Type.String(),
    description: record.description,
    customerId: record.customerId,
    invoiceId: record.invoiceId,
    userId: record.userId,
    providerReference: record.providerReference,
    failureCode: record.failureCode,
    createdTime: record.createdTime,
    failureMessage: Type.Optional(record.failureMessage),
    metadata: Type.Optional(record.metadata),
    nextAction: Type.Optional(record.nextAction),
    version: Type.Optional(record.version),
    updatedTime: Type.Optional(record.updatedTime),
  },
  { $id: 'TransactionListItem' },
);
