import { Type } from 'typebox';
import { transactionId } from '../transactions/schema.ts';
import { transactionStatuses } from '../transactions/states.ts';

export const timelineQuery = Type.Object({ id: transactionId });

/** One step in the life of a payment. Fields that a step has nothing to say about are left out. */
export const timelineStep = Type.Object({
  time: Type.String(),
  type: Type.String({ description: 'A word for programs: `created`, `charge_called`, `charge_failed`, …' }),
  message: Type.String({ description: 'The same as a sentence for people; its wording may change.' }),
  status: Type.Optional(Type.Enum([...transactionStatuses], { description: "The payment's status from here on." })),
  channelId: Type.Optional(Type.Integer()),
  channelName: Type.Optional(Type.String()),
  operation: Type.Optional(
    Type.Integer({ description: "Which of the things asked of providers: the last part of the provider's key." }),
  ),
  provider: Type.Optional(Type.String()),
  reference: Type.Optional(Type.String({ description: "The provider's own id." })),
  failureCode: Type.Optional(Type.String()),
  providerCode: Type.Optional(Type.String({ description: "The provider's own word for the failure." })),
  refundId: Type.Optional(Type.String()),
  detail: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'What else is known: who did it, by what it was settled, calls and look-ups.',
    }),
  ),
});
