import { Type } from 'typebox';
import { form } from '../../../core/refusal-rules.ts';
import { day, listFields, tenantField, timeFields } from '../../../platform/http/list-query.ts';
import {
  changesSomething,
  long as id,
  keptMetadata,
  livemode,
  livemodeFilter,
  metadata,
  metadataChange,
  nullable,
  oneLine,
} from '../../../platform/http/shapes.ts';
import { forTenant } from '../../identity/tenants/schema.ts';
import { methodId } from '../../payments/methods/schema.ts';
import { lineRecord } from '../invoices/schema.ts';
import { subscriptionFilters, subscriptionSearch } from './list-statements.ts';
import { subscriptionState } from './states.ts';

const subscriptionId = id("The subscription's id.");
const quantity = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description: 'How many units of the plan are charged, 1 to 1000000.',
});
const time = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 40, title: form('utc_time'), description });
const nullableTime = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const channel = Type.Union([id(''), Type.Null()], {
  title: form('id_of_or_null', { noun: 'channel' }),
  description: "The channel to pay its invoices on; null: the plan's, else the customer's.",
});

const method = Type.Union([methodId, Type.Null()], {
  title: form('id_of_or_null', { noun: 'payment method' }),
  description:
    "The customer's payment method that renewals are charged with, on its own channel; null: the customer's default. " +
    'On a change, failed invoices are tried again at once.',
});

export const createInput = Type.Object(
  {
    customerId: id('The customer who pays.'),
    externalId: Type.Optional(
      oneLine({
        maxLength: 255,
        description:
          'The id of the subscription in your own or in a former system. Unique in the tenant among the ' +
          'subscriptions of one mode; it cannot be changed.',
      }),
    ),
    planId: id('The plan to subscribe to.'),
    quantity: Type.Optional({ ...quantity, default: 1 }),
    trialDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 730,
        description: "Days before the first period, instead of the plan's `trialDays`. 0 to 730.",
      }),
    ),
    trialEnd: Type.Optional(
      time(
        'When the first period begins, instead of `trialDays`. All periods are counted from it. At most 730 days ' +
          'ahead.',
      ),
    ),
    billedUntil: Type.Optional(
      time(
        'The end of the period that has begun, if a former system has billed it. The subscription is ACTIVE at once, ' +
          "and its first invoice is issued then. Without a trial, also the plan's.",
      ),
    ),
    startTime: Type.Optional(
      time(
        'Only with `billedUntil`, and default that: when it began in the former system. Periods are counted from it, ' +
          'so that one that began on the 31st keeps the 31st. `billedUntil` must be the end of one of them.',
      ),
    ),
    endTime: Type.Optional(
      time(
        'When the subscription expires. The last period ends then and is prorated. Without it, the subscription has ' +
          'no end.',
      ),
    ),
    channelId: Type.Optional(channel),
    methodId: Type.Optional(method),
    timeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        default: 'UTC',
        description: 'IANA time zone in which billing periods start, such as `Europe/Zurich`.',
      }),
    ),
    metadata: Type.Optional(metadata),
    ...forTenant,
  },
  { $id: 'SubscriptionCreateInput', additionalProperties: false },
);

export const updateInput = Type.Object(
  {
    id: subscriptionId,
    planId: Type.Optional(
      id(
        'Another plan in the same currency. It takes effect at once, or with the next period if its interval differs.',
      ),
    ),
    quantity: Type.Optional(quantity),
    atPeriodEnd: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'true: the new plan and quantity take effect with the next period; nothing is prorated.',
      }),
    ),
    prorate: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'true: the rest of the current period is credited at the old price and charged at the new one. false: ' +
          'neither.',
      }),
    ),
    invoiceNow: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'true: the credits and charges of the change, and earlier ones that are not on an invoice yet, are ' +
          'invoiced at once if something is to be paid for them. Otherwise, and with false, they are invoiced with ' +
          'the next period.',
      }),
    ),
    cancelAtPeriodEnd: Type.Optional(
      Type.Boolean({ description: 'true: cancel the subscription at the end of the current period. false: continue.' }),
    ),
    endTime: Type.Optional(
      Type.Union([time(''), Type.Null()], {
        title: form('utc_time_or_null'),
        description: 'When the subscription expires; not before the current period ends. null: no end.',
      }),
    ),
    channelId: Type.Optional(channel),
    methodId: Type.Optional(method),
    ...metadataChange,
  },
  { $id: 'SubscriptionUpdateInput', additionalProperties: false, description: changesSomething },
);

export const subscriptionIdInput = Type.Object(
  { id: subscriptionId },
  { $id: 'SubscriptionIdInput', additionalProperties: false },
);

export const cancelInput = Type.Object(
  {
    id: subscriptionId,
    cancelAtPeriodEnd: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'true: cancel at the end of the current period. false: at once. Nothing is refunded.',
      }),
    ),
  },
  { $id: 'SubscriptionCancelInput', additionalProperties: false },
);

export const subscriptionQuery = Type.Object({ id: subscriptionId });

export const previewQuery = Type.Object({
  id: subscriptionId,
  planId: Type.Optional(id('Preview a change to this plan.')),
  quantity: Type.Optional({ ...quantity, description: 'Preview a change to this quantity.' }),
  atPeriodEnd: Type.Optional(Type.Boolean({ default: false })),
  prorate: Type.Optional(Type.Boolean({ default: true })),
  invoiceNow: Type.Optional(Type.Boolean({ default: false })),
});

export const listQuery = Type.Object({
  ...listFields,
  ...subscriptionFilters.fields,
  search: subscriptionSearch,
  ...timeFields,
  livemode: livemodeFilter,
});

export const summaryQuery = Type.Object({
  startDate: day('The first day (UTC, YYYY-MM-DD), inclusive. Default: 29 days before `endDate`.'),
  endDate: day('The last day (UTC, YYYY-MM-DD), inclusive. Default: today.'),
  customerId: Type.Optional(id('Only subscriptions of this customer.')),
  tenantId: tenantField,
  livemode: livemodeFilter,
});

export const subscriptionSummary = Type.Object(
  {
    livemode,
    startDate: Type.String({ description: 'The first day.' }),
    endDate: Type.String({ description: 'The last day, inclusive.' }),
    currencies: Type.Array(
      Type.Object({
        currency: Type.String(),
        active: Type.Integer({ description: 'How many are ACTIVE or PAST_DUE now.' }),
        begun: Type.Integer({ description: 'How many were created on these days.' }),
        ended: Type.Integer({ description: 'How many were CANCELLED or EXPIRED on these days.' }),
        monthlyAmount: Type.String({
          description:
            'What those that are ACTIVE or PAST_DUE cost in a month, without tax, in minor units as decimal digits: ' +
            'a year has 12 months or 365.25 days, and each subscription is rounded.',
        }),
      }),
      { description: 'Those with the most active subscriptions first.' },
    ),
  },
  { $id: 'SubscriptionSummary' },
);

export const subscriptionRecord = Type.Object(
  {
    id: Type.Integer(),
    livemode,
    externalId: nullable(Type.String({ description: 'The id in your own or in a former system.' })),
    tenantId: Type.Union([Type.String(), Type.Null()], { description: "null: the platform's own tenant." }),
    customerId: Type.Integer(),
    planId: Type.Integer(),
    quantity: Type.Integer(),
    unitAmount: Type.Integer({ description: 'The price of one unit in the current period, in minor units.' }),
    taxRate: nullable(
      Type.Integer({ description: 'The tax rate of the current period, in basis points; null: untaxed.' }),
    ),
    currency: Type.String(),
    state: subscriptionState,
    nextPlanId: nullable(Type.Integer({ description: 'The plan from the next period on; null: unchanged.' })),
    nextQuantity: nullable(Type.Integer({ description: 'The quantity from the next period on; null: unchanged.' })),
    channelId: nullable(Type.Integer({ description: "null: the plan's, else the customer's." })),
    methodId: nullable(
      Type.String({ description: "The payment method that renewals are charged with; null: the customer's default." }),
    ),
    timeZone: Type.String(),
    metadata: keptMetadata,
    userId: Type.Integer({ description: 'The user who created it.' }),
    periodStart: Type.String({ description: 'When the current period or trial began.' }),
    periodEnd: Type.String({ description: 'When the next period begins.' }),
    trialEnd: nullableTime('null: no trial.'),
    endTime: nullableTime('When it expires; null: no end.'),
    cancelAtPeriodEnd: Type.Boolean(),
    nextPaymentAttempt: nullableTime(
      'When the first of its failed payments is retried. null: no retry is scheduled, or one is in progress.',
    ),
    pausedTime: nullableTime('When it was paused; null: it is not PAUSED.'),
    endedTime: nullableTime('When it was CANCELLED or EXPIRED.'),
    version: Type.Integer({ description: 'Rises with every change, so that a receiver can ignore outdated events.' }),
    createdTime: Type.String(),
    updatedTime: Type.String(),
  },
  { $id: 'Subscription' },
);

export const previewedInvoice = Type.Union(
  [
    Type.Object({
      currency: Type.String(),
      lines: Type.Array(lineRecord),
      subtotal: Type.Integer({ description: 'The sum of the lines without tax. All amounts are in minor units.' }),
      tax: Type.Integer(),
      total: Type.Integer({ description: '`subtotal` + `tax`.' }),
      carried: Type.Integer({
        description:
          'The rest of a credit that is carried over to the following invoice, before tax: usually 0 or negative.',
      }),
      invoiceTime: Type.String({ description: 'When the invoice will be issued.' }),
      periodStart: nullableTime('Start of the billed period; null: the invoice only contains changes.'),
      periodEnd: nullableTime('End of the billed period.'),
    }),
    Type.Null(),
  ],
  { $id: 'InvoicePreview', description: 'null: there is no next invoice.' },
);
