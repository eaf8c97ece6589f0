import type { OperationKind } from '../operations/states.ts';
import type { TransactionStatus } from '../transactions/states.ts';
import type { TimelineMessageKind } from '../transactions/timeline-message-statements.ts';
import type { MessageRecord, OperationRecord } from './statements.ts';
import { type PlacedStep, ranks } from './steps.ts';

/** The facts of a message that the API shows. All others are internal. */
const publicFacts = [
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
  'livemode',
  'agrees',
  'note',
];

/** `operation`: the operation that the message refers to, if there is one. */
export function stepOfMessage(
  { at, kind, operation: number, detail }: MessageRecord,
  operation?: OperationRecord,
): PlacedStep {
  const facts = {
    ...(operation !== undefined && { about: operation.kind }),
    ...Object.fromEntries(publicFacts.flatMap((name) => (name in detail ? [[name, detail[name]]] : []))),
  };
  const { reference, to } = detail as { reference?: string | null; to?: TransactionStatus };
  return {
    time: at,
    type: kind,
    message: messageTexts[kind]({
      provider: operation?.provider ?? 'The provider',
      subject: operation === undefined ? 'the payment' : subjects[operation.kind],
      detail,
    }),
    ...(operation !== undefined && { channelId: operation.channel_id, provider: operation.provider }),
    ...(number !== null && { operation: number }),
    ...(reference && { reference }),
    ...(Object.keys(facts).length > 0 && { detail: facts }),
    rank: rankOf[kind] ?? ranks.message,
    ...(kind === 'updated' && to !== undefined && { to }),
  };
}

const rankOf: Partial<Record<TimelineMessageKind, number>> = {
  contradiction: ranks.contradicted,
  mismatch: ranks.contradicted,
  mode_mismatch: ranks.contradicted,
  forgotten: ranks.contradicted,
  looked_up: ranks.lookedUp,
  discrepancy_closed: ranks.closed,
};

const subjects = {
  CHARGE: 'the charge',
  REFUND: 'the refund',
  CANCEL: 'the request to cancel the charge',
  CAPTURE: 'the capture',
  RELEASE: 'the release of what was not captured',
} satisfies Record<OperationKind, string>;

interface MessageContext {
  provider: string;
  subject: string;
  detail: Record<string, unknown>;
}

export const messageTexts: Record<TimelineMessageKind, (context: MessageContext) => string> = {
  updated: ({ detail }) => `User ${detail.userId} set the status to ${detail.to}.`,
  cancel_asked: ({ detail }) => `User ${detail.userId} requested to cancel the charge.`,
  hold_released: () => 'Less is left to pay of the purchase: Florin requested to release the authorization.',
  unknown: ({ provider, subject }) =>
    `${provider} did not report the outcome of ${subject}: it may have happened or not, and is looked up.`,
  pending: ({ provider, subject }) => `${provider} is processing ${subject}.`,
  needs_payer: ({ subject }) => `The payer has to do something before ${subject} can continue.`,
  rate_limited: ({ provider, subject }) =>
    `${provider} did not take ${subject}, because of its rate limit; it is sent again under the same key.`,
  authorized: ({ provider, subject }) => `${provider} holds the amount of ${subject} until it is captured.`,
  absent: ({ provider, subject }) => `${provider} does not know ${subject}; it is sent again under the same key.`,
  callback: ({ provider, subject, detail }) =>
    detail.said === 'changed' || typeof detail.said !== 'string'
      ? `${provider} sent a callback: something has changed about ${subject}.`
      : `${provider} sent a callback about ${subject}: ${detail.said}.`,
  contradiction: ({ provider, subject, detail }) =>
    `${provider} reported "${detail.said}" for ${subject}, which contradicts what is settled. ` +
    'The payment stays as it is, and the provider is asked which is right.',
  mismatch: ({ provider, subject, detail }) =>
    `${provider} reported "${detail.said}" for ${subject}, with another amount or currency than was requested. ` +
    'It is not booked, and the provider is asked again.',
  mode_mismatch: ({ provider, subject, detail }) =>
    `${provider} reported ${subject} as one in ${detail.livemode === true ? 'live' : 'test'} mode, ` +
    'which is not that of the payment. Nothing is booked, and the provider is asked again.',
  forgotten: ({ provider, subject }) =>
    `${provider} can no longer say what became of ${subject}. It is not sent again: a person has to find out.`,
  looked_up: ({ provider, subject, detail }) =>
    detail.agrees === true
      ? `${provider} was asked about ${subject} again and agrees with what is settled.`
      : `${provider} was asked about ${subject} again and reports "${detail.said}": its books and ours disagree. ` +
        'The payment stays as it is until a person has investigated.',
  discrepancy_closed: ({ subject, detail }) =>
    `User ${detail.userId} closed the discrepancy about ${subject}: ${detail.note}`,
  not_called: ({ provider, subject }) => `${provider} was not called for ${subject}.`,
};
