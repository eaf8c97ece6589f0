import { type Clock, hourMs } from '../../../core/clock.ts';
import { uuidTimeMs } from '../../../core/id.ts';
import type { Mail } from '../../../platform/mail/mailer.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { QueuedUserMail } from '../../identity/mails/statements.ts';
import { type DisabledFactsRow, findDisabledFacts, maxCountedDeliveries } from './disabled-endpoint-statements.ts';

export interface DisabledEndpointMailDeps {
  database: Queryable;
  /** `app.public-url`, without a slash at the end. */
  publicUrl: string;
  clock: Clock;
}

/**
 * How much older than its failure the event of a delivery can be: a delivery is retried for up to 36 minutes, or twice
 * that if the receiver asks for longer waits.
 */
const maxRetryMs = 2 * hourMs;

/**
 * Writes the mail to an administrator about an endpoint that Florin has disabled (`health-statements.ts` queues it).
 * Undefined if the endpoint was enabled, disabled by a user, or removed meanwhile, or the user no longer administers
 * its tenant.
 */
export async function disabledEndpointMail(
  { record_id, user_id, created_at }: QueuedUserMail,
  { database, publicUrl, clock }: DisabledEndpointMailDeps,
): Promise<Mail | undefined> {
  const [facts] = await database.run(findDisabledFacts, [record_id, user_id, clock()]);
  return facts && { to: facts.email, ...messageOf(facts, new Date(created_at), publicUrl) };
}

function messageOf(facts: DisabledFactsRow, disabledAt: Date, publicUrl: string): { subject: string; text: string } {
  const { id, url, reason } = facts;
  const at = disabledAt.toISOString();
  const since = missedSince(facts, disabledAt.getTime());
  const why =
    reason === 'gone'
      ? `At ${at} it answered 410 Gone, which means that the endpoint no longer exists.`
      : `No delivery has succeeded since ${facts.first_failure_at ?? at}: ` +
        'for five days, every delivery has failed on all of its attempts.';
  return {
    subject: `Webhook ${id} was disabled`,
    text: [
      `Webhook ${id} was disabled. Nothing more is sent to it:`,
      '',
      url,
      '',
      why,
      '',
      `${waitingText(facts.waiting)} Events are still recorded, so none is lost.`,
      '',
      'When the receiver works again, enable the webhook:',
      '',
      `  POST ${publicUrl}/api/webhook/modify`,
      `  ${JSON.stringify({ id, state: true })}`,
      '',
      'Then replay what it has missed:',
      '',
      `  POST ${publicUrl}/api/webhook/replay`,
      `  ${JSON.stringify({ endpointId: id, since, states: ['FAILED', 'CANCELLED', 'MISSING'] })}`,
    ].join('\n'),
  };
}

/**
 * A time before every event that the endpoint has missed, but not before its registration: earlier events were never
 * meant for it.
 */
function missedSince(
  { first_failure_at, registered_at, oldest_event_id }: DisabledFactsRow,
  disabledAtMs: number,
): string {
  const failedMs = first_failure_at === null ? disabledAtMs : Math.min(Date.parse(first_failure_at), disabledAtMs);
  const oldestMs = oldest_event_id === null ? disabledAtMs : uuidTimeMs(oldest_event_id);
  const missedMs = Math.min(failedMs - maxRetryMs, oldestMs);
  return new Date(Math.max(missedMs, Date.parse(registered_at))).toISOString();
}

function waitingText(waiting: number): string {
  if (waiting === 0) return 'No delivery is waiting for it.';
  if (waiting === 1) return 'One delivery is waiting for it and will be cancelled when it falls due.';
  const count =
    waiting >= maxCountedDeliveries ? `${maxCountedDeliveries} deliveries or more` : `${waiting} deliveries`;
  return `${count} are waiting for it and will be cancelled when they fall due.`;
}
