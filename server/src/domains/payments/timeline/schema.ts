import { Type } from 'typebox';
import { described } from '../../../platform/http/shapes.ts';
import { retry } from '../providers/failure-schema.ts';
import { transactionId } from '../transactions/schema.ts';
import { transactionStatus } from '../transactions/states.ts';

export const timelineQuery = Type.Object({ id: transactionId });

/** One step in the life of a payment. Fields that do not apply to a step are absent. */
export const timelineStep = Type.Object(
  {
    time: Type.String(),
    type: Type.String({
      description: 'The kind of step, for programs: `created`, `charge_called`, `charge_failed`, …',
    }),
    message: Type.String({ description: 'The step in words, for people; the wording may change.' }),
    status: Type.Optional(
      described(transactionStatus, "The payment's status after this step; only if the step changed it."),
    ),
    channelId: Type.Optional(Type.Integer()),
    channelName: Type.Optional(Type.String()),
    operation: Type.Optional(
      Type.Integer({ description: 'Number of the provider operation: the last part of its idempotency key.' }),
    ),
    provider: Type.Optional(Type.String()),
    reference: Type.Optional(Type.String({ description: "The provider's own id of the operation." })),
    failureCode: Type.Optional(Type.String()),
    fallback: Type.Optional(
      Type.Boolean({ description: 'With `failureCode`: another channel may accept the payment.' }),
    ),
    retry: Type.Optional(described(retry, 'With `failureCode`: what may be done again.')),
    providerCode: Type.Optional(Type.String({ description: "The provider's own code for the failure." })),
    refundId: Type.Optional(Type.String()),
    captureId: Type.Optional(Type.String()),
    disputeId: Type.Optional(Type.String()),
    detail: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description:
          'Further facts, from which a program can say the step in words of its own: the user, the amount (in minor ' +
          'units) and its currency, what a message is about (`CHARGE`, `REFUND`, …), how the outcome became known, ' +
          'and the number of calls and look-ups.',
      }),
    ),
  },
  { $id: 'TimelineStep' },
);
