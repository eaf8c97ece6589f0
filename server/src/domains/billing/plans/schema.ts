import { Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { form } from '../../../core/refusal-rules.ts';
import { pageFields, tenantField } from '../../../platform/http/list-query.ts';
import {
  currencyCode,
  livemode,
  livemodeFilter,
  livemodeInput,
  oneLine,
  requiredToCreate,
  updatedTime,
} from '../../../platform/http/shapes.ts';
import { forTenant } from '../../identity/tenants/schema.ts';
import { keptStatementDescriptor, statementDescriptorOrNull } from '../../payments/channels/statement-descriptor.ts';
import { longestInterval } from './rules.ts';

export const intervalUnits = ['day', 'week', 'month', 'year'] as const;
export type IntervalUnit = (typeof intervalUnits)[number];

const id = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });
const nullableInteger = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

const interval = Type.Enum([...intervalUnits], { description: 'The unit of the billing interval.' });

export const requiredOfNewPlan = ['name', 'currency', 'amount', 'interval', 'state'] as const;

export const planInput = Type.Object(
  {
    id: Type.Optional(id('Omit to create.')),
    name: Type.Optional(oneLine({ maxLength: 200, description: 'Shown on the invoices.' })),
    currency: Type.Optional(currencyCode()),
    amount: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maximumAmount,
        description:
          'The price of one unit for a period, in minor units, 0 to 9007199254740991. ' +
          'A new amount applies to each period that is invoiced after the change.',
      }),
    ),
    interval: Type.Optional(interval),
    intervalCount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: longestInterval.day,
        description: `How many units a period lasts: at most ${Object.entries(longestInterval)
          .map(([unit, most]) => `${most} ${unit}s`)
          .join(', ')}. Default 1; an update keeps it.`,
      }),
    ),
    trialDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 730,
        description:
          'Free days before the first period; a subscription may set its own. Default 0; an update keeps it.',
      }),
    ),
    channelId: Type.Optional(
      Type.Union([id(''), Type.Null()], {
        title: form('id_of_or_null', { noun: 'channel' }),
        description: "The channel to pay its invoices on. Default: the customer's default channel; an update keeps it.",
      }),
    ),
    taxRate: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 10_000 }), Type.Null()], {
        title: form('basis_points'),
        description:
          'The tax on top of the amount, in basis points, 0 to 10000: 1900 is 19 %. null: untaxed. ' +
          'Default null; an update keeps it. A new rate applies from the next period on.',
      }),
    ),
    statementDescriptor: Type.Optional(
      statementDescriptorOrNull("Of its payments. Default: the channel's; an update keeps it, null clears it."),
    ),
    livemode: livemodeInput('the mode of its channel, or live'),
    state: Type.Optional(Type.Boolean({ description: 'false: no new subscriptions. Existing ones continue.' })),
    ...forTenant,
  },
  { $id: 'PlanModifyInput', additionalProperties: false, ...requiredToCreate(requiredOfNewPlan) },
);

export const planQuery = Type.Object({ id: id('The plan.') });

export const planListQuery = Type.Object({
  ...pageFields,
  state: Type.Optional(Type.Boolean({ description: 'Only plans that can (true) or cannot (false) be subscribed to.' })),
  tenantId: tenantField,
  livemode: livemodeFilter,
});

export const planRecord = Type.Object(
  {
    id: Type.Integer(),
    livemode,
    tenantId: Type.Union([Type.String(), Type.Null()], { description: "null: the platform's own tenant." }),
    name: Type.String(),
    currency: Type.String(),
    amount: Type.Integer({ description: 'In minor units.' }),
    interval,
    intervalCount: Type.Integer(),
    trialDays: Type.Integer(),
    channelId: nullableInteger("null: the customer's default channel."),
    taxRate: nullableInteger('In basis points; null: untaxed.'),
    statementDescriptor: keptStatementDescriptor,
    state: Type.Boolean(),
    createdTime: Type.String(),
    updatedTime,
  },
  { $id: 'Plan' },
);
