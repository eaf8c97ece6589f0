import type { TransactionStatus } from '../transactions/states.ts';
import type { NoteKind } from '../transactions/timeline-messages.ts';
import type { NoteStep, OperationSteps } from './timeline-statements.ts';
import { type PlacedStep, ranks } from './timeline-steps.ts';

/** Facts of a note that are shown; whatever else may stand in it is not. */
const shown = [
  'from',
  'to',
  'userId',
  'error',
  'eventId',
  'said',
  'stands',
  'payment',
  'by',
  'amount',
  'currency',
  'agrees',
];

/** A note as a step. `operation` is what it is about, as far as that is known. */
export function stepOfNote({ at, kind, operation: number, detail }: NoteStep, operation?: OperationSteps): PlacedStep {
  const facts = Object.fromEntries(shown.flatMap((name) => (name in detail ? [[name, detail[name]]] : [])));
  const { reference, to } = detail as { reference?: string | null; to?: TransactionStatus };
  return {
    time: at,
    type: kind,
    message: sentences[kind]({
      provider: operation?.provider ?? 'The provider',
      what: operation === undefined ? 'the payment' : objects[operation.kind],
      detail,
    }),
    ...(operation !== undefined && { channelId: operation.channel_id, provider: operation.provider }),
    ...(number !== null && { operation: number }),
    ...(reference && { reference }),
    ...(Object.keys(facts).length > 0 && { detail: facts }),
    rank: rankOf[kind] ?? ranks.noted,
    ...(kind === 'updated' && to !== undefined && { to }),
  };
}

const rankOf: Partial<Record<NoteKind, number>> = {
  contradiction: ranks.contradicted,
  mismatch: ranks.contradicted,
  looked_up: ranks.lookedUp,
};

const objects = { CHARGE: 'the charge', REFUND: 'the refund', CANCEL: 'the request to call the charge off' };

interface About {
  provider: string;
  what: string;
  detail: Record<string, unknown>;
}

export const sentences: Record<NoteKind, (about: About) => string> = {
  updated: ({ detail }) => `User ${detail.userId} set the status to ${detail.to}.`,
  cancel_asked: ({ detail }) => `User ${detail.userId} asked for the charge to be called off.`,
  unknown: ({ provider, what }) =>
    `${provider} did not say what became of ${what}: it may have happened or not, and is looked up.`,
  pending: ({ provider, what }) => `${provider} has ${what} under way.`,
  needs_payer: ({ what }) => `The payer has to do something before ${what} can go on.`,
  absent: ({ provider, what }) => `${provider} has never heard of ${what}; it is sent again under the same key.`,
  callback: ({ provider, what, detail }) =>
    detail.said === 'changed' || typeof detail.said !== 'string'
      ? `${provider} called back: something has changed about ${what}.`
      : `${provider} called back about ${what}: ${detail.said}.`,
  contradiction: ({ provider, what, detail }) =>
    `${provider} said "${detail.said}" of ${what}, which cannot be true beside what stands. ` +
    'The payment stays as it is, and the provider is asked which holds.',
  mismatch: ({ provider, what, detail }) =>
    `${provider} said "${detail.said}" of ${what}, with another amount or currency than was asked for. ` +
    'That is not booked, and the provider is asked again.',
  looked_up: ({ provider, what, detail }) =>
    detail.agrees === true
      ? `${provider} was asked about ${what} again, and agrees with what stands.`
      : `${provider} was asked about ${what} again, and says "${detail.said}": its books and ours disagree. ` +
        'The payment stays as it is until a person has looked into it.',
  not_called: ({ provider, what }) => `${provider} was not asked for ${what}.`,
};
