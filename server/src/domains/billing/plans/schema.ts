import { Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { pageFields } from '../../../platform/http/list-query.ts';
import { longestInterval } from './rules.ts';

export const intervalUnits = ['day', 'week', 'month', 'year'] as const;
export type IntervalUnit = (typeof intervalUnits)[number];

const id = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });
const nullableInteger = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

const interval = Type.Enum([...intervalUnits], { description: 'What a period is counted in.' });

export const planInput = Type.Object(
  {
    id: Type.Optional(id('Omit to create.')),
    name: Type.String({ minLength: 1, maxLength: 200, description: 'Stands on the invoices.' }),
    currency: Type.String({ pattern: '^[A-Z]{3}$', title: 'an ISO 4217 code in capitals' }),
    amount: Type.Integer({
      minimum: 0,
      maximum: maximumAmount,
      description:
        'What one costs for a period, in minor units, 0 to 9007199254740991. A new amount holds from the next period on.',
    }),
    interval,
    intervalCount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: longestInterval.day,
        description: `How many of them a period lasts: at most ${Object.entries(longestInterval)
          .map(([unit, most]) => `${most} ${unit}s`)
          .join(', ')}. Left out it is 1, and of an update stays.`,
      }),
    ),
    trialDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 730,
        description:
          'Days before the first period for which nothing is charged, where a subscription does not say otherwise. ' +
          'Left out there are none, and of an update they stay.',
      }),
    ),
    channelId: Type.Optional(
      Type.Union([id(''), Type.Null()], {
        title: "a channel's id, or null",
        description:
          "The channel its invoices are paid on; without one the customer's own. Left out of an update it stays.",
      }),
    ),
    state: Type.Boolean({ description: 'false: nobody can subscribe to it any more. Subscriptions go on.' }),
  },
  { additionalProperties: false },
);

export const planListQuery = Type.Object({
  ...pageFields,
  state: Type.Optional(Type.Boolean({ description: 'Only plans that can (true) or cannot be subscribed to.' })),
});

export const planRecord = Type.Object({
  id: Type.Integer(),
  tenantId: Type.Union([Type.String(), Type.Null()], { description: "null: the platform's own." }),
  name: Type.String(),
  currency: Type.String(),
  amount: Type.Integer({ description: 'In minor units.' }),
  interval,
  intervalCount: Type.Integer(),
  trialDays: Type.Integer(),
  channelId: nullableInteger("null: the customer's own."),
  state: Type.Boolean(),
  createdTime: Type.String(),
  updatedTime: Type.Union([Type.String(), Type.Null()], { description: 'null when never updated.' }),
});
