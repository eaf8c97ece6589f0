import { Type } from 'typebox';
import { pageFields } from '../../../platform/http/list-query.ts';
import { long as id, keptMetadata, metadata, nullable } from '../../../platform/http/shapes.ts';
import { subscriptionStates } from './states.ts';

const subscriptionId = id("The subscription's id.");
const state = Type.Enum([...subscriptionStates]);
const quantity = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description: "How many times the plan's amount is charged.",
});
const moment = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 40, title: 'a time as 2026-01-31T09:30:00Z', description });
const nullableTime = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const channel = Type.Union([id(''), Type.Null()], {
  title: "a channel's id, or null",
  description: "The channel its invoices are paid on; null: the plan's, else the customer's.",
});

export const createInput = Type.Object(
  {
    customerId: id('Who pays.'),
    planId: id('What for, and how much.'),
    quantity: Type.Optional({ ...quantity, default: 1 }),
    trialDays: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 730, description: "Instead of the plan's: days before the first period." }),
    ),
    trialEnd: Type.Optional(
      moment(
        'Instead of days: when the first period begins, and what all periods are counted from. At most 730 days ahead.',
      ),
    ),
    endTime: Type.Optional(
      moment('When it expires. The last period ends there, and costs what falls on it. Without it, it goes on.'),
    ),
    channelId: Type.Optional(channel),
    timeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        default: 'UTC',
        description: 'By whose clock on the wall periods begin: a name of IANA, such as `Europe/Zurich`.',
      }),
    ),
    metadata: Type.Optional(metadata),
  },
  { additionalProperties: false },
);

export const updateInput = Type.Object(
  {
    id: subscriptionId,
    planId: Type.Optional(
      id(
        'Another plan, in the same currency. With the same interval it holds at once; with another from the next period on.',
      ),
    ),
    quantity: Type.Optional(quantity),
    atPeriodEnd: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'The new plan and quantity hold from the next period on; nothing is prorated.',
      }),
    ),
    prorate: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'The rest of the period is given back at the old price and charged at the new one. false: neither.',
      }),
    ),
    invoiceNow: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'What a change comes to is invoiced at once, not with the next period.',
      }),
    ),
    cancelAtPeriodEnd: Type.Optional(
      Type.Boolean({ description: 'true: it is cancelled when its period ends. false: it is not.' }),
    ),
    endTime: Type.Optional(
      Type.Union([moment(''), Type.Null()], {
        title: 'a time as 2026-01-31T09:30:00Z, or null',
        description: 'When it expires; not before its period ends. null: it goes on.',
      }),
    ),
    channelId: Type.Optional(channel),
    metadata: Type.Optional(metadata),
  },
  { additionalProperties: false },
);

export const subscriptionIdInput = Type.Object({ id: subscriptionId }, { additionalProperties: false });

export const cancelInput = Type.Object(
  {
    id: subscriptionId,
    cancelAtPeriodEnd: Type.Optional(
      Type.Boolean({ default: false, description: 'true: when its period ends. Else at once; nothing is given back.' }),
    ),
  },
  { additionalProperties: false },
);

export const subscriptionQuery = Type.Object({ id: subscriptionId });

export const previewQuery = Type.Object({
  id: subscriptionId,
  planId: Type.Optional(id('As if it were changed to this plan now.')),
  quantity: Type.Optional({ ...quantity, description: 'As if it were changed to this quantity now.' }),
  atPeriodEnd: Type.Optional(Type.Boolean({ default: false })),
  prorate: Type.Optional(Type.Boolean({ default: true })),
  invoiceNow: Type.Optional(Type.Boolean({ default: false })),
});

export const listQuery = Type.Object({
  ...pageFields,
  customerId: Type.Optional(id('Only of this customer.')),
  planId: Type.Optional(id('Only to this plan.')),
  state: Type.Optional(state),
});

export const subscriptionRecord = Type.Object({
  id: Type.Integer(),
  tenantId: Type.Union([Type.String(), Type.Null()], { description: "null: the platform's own." }),
  customerId: Type.Integer(),
  planId: Type.Integer(),
  quantity: Type.Integer(),
  unitAmount: Type.Integer({ description: 'What one costs in the current period, in minor units.' }),
  currency: Type.String(),
  state,
  nextPlanId: nullable(Type.Integer({ description: 'The plan from the next period on, where it changes then.' })),
  nextQuantity: nullable(Type.Integer({ description: 'The quantity from the next period on, where it changes then.' })),
  channelId: nullable(Type.Integer({ description: "null: the plan's, else the customer's." })),
  timeZone: Type.String(),
  metadata: keptMetadata,
  userId: Type.Integer({ description: 'Who created it.' }),
  periodStart: Type.String({ description: 'The current period: what was invoiced last, or the trial.' }),
  periodEnd: Type.String({ description: 'Where the next one begins.' }),
  trialEnd: nullableTime('null: there is no trial.'),
  endTime: nullableTime('When it expires; null: it goes on.'),
  cancelAtPeriodEnd: Type.Boolean(),
  pausedTime: nullableTime('Since when it is PAUSED.'),
  endedTime: nullableTime('When it was CANCELLED or EXPIRED.'),
  version: Type.Integer({ description: 'Rises with every change: a receiver can drop what is old.' }),
  createdTime: Type.String(),
  updatedTime: Type.String(),
});

export const previewedInvoice = Type.Union(
  [
    Type.Object({
      currency: Type.String(),
      lines: Type.Array(
        Type.Object({
          description: Type.String(),
          quantity: Type.Integer(),
          unitAmount: Type.Integer(),
          amount: Type.Integer(),
        }),
      ),
      total: Type.Integer({ description: 'In minor units.' }),
      carried: Type.Integer({ description: 'What of a credit is left for the invoice after it: 0 or less.' }),
      invoiceTime: Type.String({ description: 'When it will be raised.' }),
      periodStart: nullableTime('The period that it charges for; null: a change alone.'),
      periodEnd: nullableTime(''),
    }),
    Type.Null(),
  ],
  { description: 'null: no invoice is coming.' },
);
