import { type Clock, hourMs } from '../../../core/clock.ts';
import { uuidTimeMs } from '../../../core/id.ts';
import { platformTenant } from '../../../core/principal.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import { retryWhileUnavailable } from '../../../platform/postgres/connection/retry.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type DisabledFactsRow, findDisabledFacts, maxCountedDeliveries } from './disabled-endpoint-statements.ts';
import type { DisabledReason } from './rules.ts';

export interface DisabledEndpointMailerOptions {
  database: Queryable;
  mailer: Pick<Mailer, 'send'>;
  /** `app.public-url`, without a slash at the end. */
  publicUrl: string;
  clock: Clock;
  logError: (error: unknown, message: string) => void;
}

/**
 * How much older than its failure the event of a delivery can be: a delivery is retried for up to 36 minutes, or twice that
 * if the receiver asks for longer waits.
 */
const maxRetryMs = 2 * hourMs;

export interface DisabledWebhook {
  tenantId: number;
  id: number;
  url: string;
}

/** Mails the administrators of a tenant that an endpoint was disabled. Only the node that disabled it sends the mail. */
export class DisabledEndpointMailer {
  readonly #options: DisabledEndpointMailerOptions;
  readonly #sending = new Set<Promise<void>>();

  constructor(options: DisabledEndpointMailerOptions) {
    this.#options = options;
  }

  /** Sends the mails in the background, so that deliveries do not wait for them. */
  notify(webhook: DisabledWebhook, reason: DisabledReason): void {
    const sending = this.#send(webhook, reason)
      .catch((error) => this.#options.logError(error, 'The mail about a disabled webhook could not be sent'))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when every mail has been sent or has failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #send(webhook: DisabledWebhook, reason: DisabledReason): Promise<void> {
    const { database, mailer, publicUrl, clock, logError } = this.#options;
    const userType = webhook.tenantId === platformTenant ? 'PLATFORM_ADMIN' : 'MERCHANT_ADMIN';
    const nowMs = clock();
    const values = [webhook.tenantId, webhook.id, userType, nowMs];
    const [facts] = (await retryWhileUnavailable(() => database.run(findDisabledFacts, values))) as [DisabledFactsRow];
    const message = messageOf(webhook, reason, facts, { publicUrl, nowMs });
    for (const to of facts.addresses) {
      await mailer
        .send({ to, ...message })
        .catch((error) => logError(error, 'The mail about a disabled webhook could not be sent to an administrator'));
    }
  }
}

function messageOf(
  { id, url }: DisabledWebhook,
  reason: DisabledReason,
  facts: DisabledFactsRow,
  { publicUrl, nowMs }: { publicUrl: string; nowMs: number },
): { subject: string; text: string } {
  const now = new Date(nowMs).toISOString();
  const why =
    reason === 'gone'
      ? `At ${now} it answered 410 Gone, which means that the endpoint no longer exists.`
      : `No delivery has succeeded since ${facts.first_failure_at ?? now}: for five days, every delivery has failed on all of its attempts.`;
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
      `  ${JSON.stringify({ endpointId: id, since: missedSince(facts, nowMs), states: ['FAILED', 'CANCELLED', 'MISSING'] })}`,
    ].join('\n'),
  };
}

/**
 * A time before every event that the endpoint has missed, but not before its registration: earlier events were never meant
 * for it.
 */
function missedSince({ first_failure_at, registered_at, oldest_event_id }: DisabledFactsRow, nowMs: number): string {
  const failedMs = first_failure_at === null ? nowMs : Date.parse(first_failure_at);
  const oldestMs = oldest_event_id === null ? nowMs : uuidTimeMs(oldest_event_id);
  const missedMs = Math.min(failedMs - maxRetryMs, oldestMs);
  return new Date(Math.max(missedMs, registered_at === null ? 0 : Date.parse(registered_at))).toISOString();
}

function waitingText(waiting: number): string {
  if (waiting === 0) return 'No delivery is waiting for it.';
  if (waiting === 1) return 'One delivery is waiting for it and will be cancelled when it falls due.';
  const count =
    waiting >= maxCountedDeliveries ? `${maxCountedDeliveries} deliveries or more` : `${waiting} deliveries`;
  return `${count} are waiting for it and will be cancelled when they fall due.`;
}
