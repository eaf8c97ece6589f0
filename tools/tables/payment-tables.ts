import { dayMs, hourMs, minuteMs, secondMs } from '@florin/server/core/clock.ts';
import type { EventType } from '@florin/server/core/event-types.ts';
import { lookUpWaitsMs } from '@florin/server/domains/payments/operation-queue/rules.ts';
import { failureCodes } from '@florin/server/domains/payments/providers/failures.ts';
import {
  eventOfStatus,
  isFinal,
  next,
  nextByUpdate,
  type TransactionStatus,
  transactionStatuses,
} from '@florin/server/domains/payments/transactions/states.ts';
import { table } from './markdown-table.ts';

/** Generated tables about payments. */
export const paymentTables: Record<string, () => string> = {
  transitions: transitionsTable,
  'transition diagram': transitionDiagram,
  'look-up schedule': lookUpTable,
  'failure codes': failureTable,
};

const transitions = transactionStatuses.flatMap((from) => next[from].map((to) => ({ from, to })));

function transitionsTable(): string {
  return table(
    ['From', 'To', 'Channel without a provider', 'Channel with a provider', 'Event'],
    [
      ['–', '`PENDING`', 'create', 'create', `\`${eventOfStatus.PENDING}\``],
      ...transitions.map(({ from, to }) => [
        `\`${from}\``,
        `\`${to}\``,
        byWhomWithoutProvider(from, to),
        byWhomWithProvider(from, to),
        `\`${eventOf(from, to)}\``,
      ]),
    ],
  );
}

/** A payment leaves REFUNDED only when a refund fails, and that sends only the event of the refund. */
const eventOf = (from: TransactionStatus, to: TransactionStatus): EventType =>
  from === 'REFUNDED' && to === 'SUCCESS' ? 'refund.failed' : eventOfStatus[to];

const includes = (statuses: readonly TransactionStatus[], status: TransactionStatus) => statuses.includes(status);

function byWhomWithoutProvider(from: TransactionStatus, to: TransactionStatus): string {
  if (to === 'REFUNDED') return 'each refund';
  return includes(nextByUpdate.withoutProvider[from], to) ? 'update' : '–';
}

function byWhomWithProvider(from: TransactionStatus, to: TransactionStatus): string {
  if (to === 'REFUNDED') return 'each refund that succeeds';
  if (from === 'REFUNDED') return 'the last successful refund fails afterwards';
  if (to === 'PROCESSING') return 'before the provider is called';
  if (!includes(nextByUpdate.withProvider[from], to)) return 'the provider reports it';
  return from === 'PENDING' ? 'update' : 'the provider reports it, after an update or by itself';
}

function transitionDiagram(): string {
  const ends = transactionStatuses.filter(isFinal);
  return [
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> PENDING: create',
    ...transitions.map(({ from, to }) => `  ${from} --> ${to}: ${eventOf(from, to)}`),
    ...ends.map((end) => `  ${end} --> [*]`),
    '```',
  ].join('\n');
}

function lookUpTable(): string {
  return table(
    ['Look-up', 'When'],
    lookUpWaitsMs.map((waitMs, i) => [
      i < lookUpWaitsMs.length - 1 ? String(i + 1) : `${i + 1}, and all further ones`,
      `${duration(waitMs)} after the ${i === 0 ? 'call' : 'previous one'}`,
    ]),
  );
}

function duration(ms: number): string {
  const units = Object.entries({ day: dayMs, hour: hourMs, minute: minuteMs, second: secondMs });
  const [word, unit] = units.find(([, length]) => ms % length === 0) as [string, number];
  return `${ms / unit} ${word}${ms === unit ? '' : 's'}`;
}

function failureTable(): string {
  return table(
    ['`failureCode`', '`fallback`', '`retry`', 'Meaning'],
    Object.entries(failureCodes).map(([code, { fallback, retry, message }]) => [
      `\`${code}\``,
      fallback ? 'yes' : 'no',
      `\`${retry}\``,
      message,
    ]),
  );
}
