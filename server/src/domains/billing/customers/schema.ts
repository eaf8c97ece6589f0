import { Type } from 'typebox';
import { form } from '../../../core/refusal-rules.ts';
import { listFields, timeFields } from '../../../platform/http/list-query.ts';
import {
  address,
  keptAddress,
  keptMetadata,
  livemode,
  livemodeFilter,
  livemodeInput,
  long,
  metadataChange,
  nullable,
  oneLine,
  requiredToCreate,
  updatedTime,
} from '../../../platform/http/shapes.ts';
import { forTenant, tenantIdOnWire } from '../../identity/tenants/schema.ts';
import { consentInput } from '../../payments/methods/schema.ts';
import { customerFilters, customerSearch } from './list-statements.ts';

const clearable = (shape: ReturnType<typeof Type.String>, title: string, description: string, clears = 'clears it.') =>
  Type.Optional(Type.Union([shape, Type.Null()], { title, description: `${description} null ${clears}` }));

export const requiredOfNewCustomer = ['name'] as const;

export const customerInput = Type.Object(
  {
    id: Type.Optional(long('Omit to create.')),
    name: Type.Optional(oneLine({ maxLength: 200 })),
    email: clearable(
      Type.String({ format: 'email', maxLength: 254 }),
      form('email_address_or_null'),
      'Not unique: a household may share one.',
    ),
    phone: clearable(oneLine({ maxLength: 40 }), form('one_line_or_null', { limit: 40 }), 'In any notation.'),
    address: Type.Optional(address),
    externalId: clearable(
      oneLine({ maxLength: 255 }),
      form('one_line_or_null', { limit: 255 }),
      'The id of the customer in your own system. Unique in the tenant among the customers of one mode.',
    ),
    ...metadataChange,
    defaultChannelId: Type.Optional(
      Type.Union([long('The channel.'), Type.Null()], {
        title: form('id_of_or_null', { noun: 'channel' }),
        description: 'The channel for invoices that name no channel. null clears it.',
      }),
    ),
    dueDays: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 365 }), Type.Null()], {
        title: form('integer_range_or_null', { least: 0, limit: 365 }),
        description:
          'How many days the customer has to pay an invoice that is finalized without a `dueDate` of its own; 0: it ' +
          "is due at once. null: the seller's `dueDays`.",
      }),
    ),
    paymentMethod: clearable(
      oneLine({ maxLength: 255, writeOnly: true }),
      form('one_line_or_null', { limit: 255 }),
      "The provider's token of the payment method (Stripe: `pm_…`), never a card number. Set up as a payment " +
        'method at `defaultChannelId`, and the default once it is ACTIVE.',
      'detaches the default.',
    ),
    consent: Type.Optional(consentInput),
    livemode: livemodeInput('the mode of the default channel, or live'),
    clockId: Type.Optional(
      Type.Union([long('The clock.'), Type.Null()], {
        title: form('id_of_or_null', { noun: 'test clock' }),
        description:
          'The test clock that the customer uses. Only in STANDALONE mode; cannot change after the customer is ' +
          'created.',
      }),
    ),
    ...forTenant,
  },
  { $id: 'CustomerModifyInput', additionalProperties: false, ...requiredToCreate(requiredOfNewCustomer) },
);

export const customerQuery = Type.Object({
  id: Type.Optional(long('The customer; or `externalId`.')),
  externalId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});

export const customerListQuery = Type.Object({
  ...listFields,
  ...customerFilters.fields,
  search: customerSearch,
  ids: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15}){0,99}$',
      title: form('id_list'),
      description:
        'Only the customers with these ids: at most 100, separated by commas. They may be of either mode. Ids that ' +
        'the caller cannot see are left out.',
    }),
  ),
  ...timeFields,
  livemode: livemodeFilter,
});

export const customerRecord = Type.Object(
  {
    id: Type.Integer(),
    livemode,
    name: Type.String(),
    email: nullable(Type.String()),
    phone: nullable(Type.String()),
    address: keptAddress,
    externalId: nullable(Type.String()),
    metadata: keptMetadata,
    defaultChannelId: nullable(Type.Integer()),
    dueDays: nullable(
      Type.Integer({
        description: "Days to pay an invoice that is finalized without a `dueDate`. null: the seller's `dueDays`.",
      }),
    ),
    defaultMethodId: nullable(
      Type.String({
        description: 'The payment method that renewals are charged with: `mtd_` and a time-ordered part.',
      }),
    ),
    clockId: nullable(Type.Integer()),
    createdTime: Type.String(),
    updatedTime,
  },
  { $id: 'Customer' },
);

/** A customer as a row of the list. */
export const listedCustomer = Type.Object(
  { ...customerRecord.properties, tenantId: Type.Optional(tenantIdOnWire) },
  { $id: 'CustomerListItem' },
);

const sum = (description: string) => Type.String({ description: `${description}, in minor units as decimal digits.` });

export const customerSummary = Type.Object(
  {
    id: Type.Integer(),
    livemode,
    currencies: Type.Array(
      Type.Object({
        currency: Type.String(),
        payments: Type.Integer({ description: 'How many payments took money.' }),
        amountCaptured: sum('What they took, before refunds'),
        amountRefunded: sum('What was given back'),
        amountDisputed: sum('What disputes have withdrawn and not reinstated'),
      }),
      { description: 'Those with the most payments first.' },
    ),
  },
  { $id: 'CustomerSummary' },
);
