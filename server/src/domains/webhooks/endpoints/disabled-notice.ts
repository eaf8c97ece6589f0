import { type Clock, hourMs } from '../../../core/clock.ts';
import { uuidTimeMs } from '../../../core/id.ts';
import { platformTenant } from '../../../core/principal.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { DisabledReason } from './rules.ts';

export interface DisabledNoticeOptions {
  database: Queryable;
  mailer: Mailer;
  /** `app.public-url`, without a slash at its end. */
  publicUrl: string;
  clock: Clock;
  logError: (error: unknown, message: string) => void;
}

/** Counting what waits stops here. */
const countedAtMost = 10_000;
/**
 * A delivery that has just failed was tried for up to 36 minutes, twice that where its receiver asked for longer waits: what
 * it tells of happened before the failing began.
 */
const triedForMs = 2 * hourMs;

interface Facts {
  /** Administrators' addresses. */
  addresses: string[];
  first_failure_at: string | null;
  registered_at: string | null;
  /** The oldest of the events on their way to it. */
  oldest_event_id: string | null;
  waiting: number;
}

/**
 * Whom to tell, and what. Open deliveries are looked for by their two indexes, in a part of those that are due; one that is
 * being sent does not wait. Values: tenant, endpoint, the user type of its administrators, now in ms.
 */
const findFacts = statement<Facts>(
  'webhooks.find_disabled_facts',
  `with open as materialized (
     (select event_id, leased_until from delivery
       where state = 'OPEN' and aside and endpoint_id = $2 limit ${countedAtMost})
      union all
     (select event_id, leased_until from (
        select event_id, leased_until, endpoint_id from delivery
         where state = 'OPEN' and not aside order by due_at limit ${countedAtMost}) as due where endpoint_id = $2)
   )
   select array(select email from app_user where tenant_id = $1 and user_type = $3 and state order by id) as addresses,
          (select first_failure_at from webhook_endpoint where id = $2) as first_failure_at,
          (select created_at from webhook_endpoint where id = $2) as registered_at,
          (select min(event_id::text) from open) as oldest_event_id,
          (select count(*) from open
            where leased_until is null or leased_until <= to_timestamp($4::float8 / 1000)) as waiting`,
);

export interface DisabledWebhook {
  tenantId: number;
  id: number;
  url: string;
}

/** Tells a tenant's administrators by mail that an endpoint of theirs was switched off: once, by the node that did it. */
export class DisabledNotice {
  readonly #options: DisabledNoticeOptions;
  readonly #sending = new Set<Promise<void>>();

  constructor(options: DisabledNoticeOptions) {
    this.#options = options;
  }

  /** Not waited for by whoever sends deliveries. */
  tell(webhook: DisabledWebhook, reason: DisabledReason): void {
    const sending = this.#send(webhook, reason)
      .catch((error) => this.#options.logError(error, 'That a webhook was switched off could not be mailed'))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when every mail under way was handed on or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #send(webhook: DisabledWebhook, reason: DisabledReason): Promise<void> {
    const { database, mailer, publicUrl, clock, logError } = this.#options;
    const userType = webhook.tenantId === platformTenant ? 'PLATFORM_ADMIN' : 'MERCHANT_ADMIN';
    const nowMs = clock();
    const [facts] = (await database.run(findFacts, [webhook.tenantId, webhook.id, userType, nowMs])) as [Facts];
    const message = messageOf(webhook, reason, facts, { publicUrl, nowMs });
    for (const to of facts.addresses) {
      await mailer
        .send({ to, ...message })
        .catch((error) => logError(error, 'That a webhook was switched off could not be mailed to an administrator'));
    }
  }
}

function messageOf(
  { id, url }: DisabledWebhook,
  reason: DisabledReason,
  facts: Facts,
  { publicUrl, nowMs }: { publicUrl: string; nowMs: number },
): { subject: string; text: string } {
  const now = new Date(nowMs).toISOString();
  const why =
    reason === 'gone'
      ? `At ${now} it answered 410 Gone, which says that it is gone for good.`
      : `Nothing has been delivered to it since ${facts.first_failure_at ?? now}: every delivery failed, with all its tries, for five days.`;
  return {
    subject: `Webhook ${id} was switched off`,
    text: [
      `Webhook ${id} was switched off and is sent nothing more:`,
      '',
      url,
      '',
      why,
      '',
      `${waitingText(facts.waiting)} Events go on being kept: none is lost.`,
      '',
      'When the receiver works again, switch the webhook on,',
      '',
      `  POST ${publicUrl}/api/webhook/modify`,
      `  ${JSON.stringify({ id, state: true })}`,
      '',
      'and have sent to it what did not arrive, and what happened meanwhile:',
      '',
      `  POST ${publicUrl}/api/webhook/replay`,
      `  ${JSON.stringify({ endpointId: id, since: missedSince(facts, nowMs), states: ['FAILED', 'CANCELLED', 'MISSING'] })}`,
    ].join('\n'),
  };
}

/** A time before which nothing happened that it has missed; not before it was registered, or it would be sent what it never asked for. */
function missedSince({ first_failure_at, registered_at, oldest_event_id }: Facts, nowMs: number): string {
  const failedMs = first_failure_at === null ? nowMs : Date.parse(first_failure_at);
  const oldestMs = oldest_event_id === null ? nowMs : uuidTimeMs(oldest_event_id);
  const missedMs = Math.min(failedMs - triedForMs, oldestMs);
  return new Date(Math.max(missedMs, registered_at === null ? 0 : Date.parse(registered_at))).toISOString();
}

function waitingText(waiting: number): string {
  if (waiting === 0) return 'No delivery is waiting for it.';
  if (waiting === 1) return 'One delivery is waiting for it, and is called off as it falls due.';
  const count = waiting >= countedAtMost ? `${countedAtMost} deliveries or more` : `${waiting} deliveries`;
  return `${count} are waiting for it, and are called off as they fall due.`;
}
