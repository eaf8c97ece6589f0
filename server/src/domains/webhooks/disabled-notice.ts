import type { Mailer } from '../../platform/mail/mailer.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { statement } from '../../platform/postgres/statement.ts';
import type { Clock } from '../../vocabulary/clock.ts';
import { platformTenant } from '../../vocabulary/principal.ts';
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

interface Facts {
  /** Administrators' addresses. */
  addresses: string[];
  first_failure_at: string | null;
  waiting: number;
}

/**
 * Whom to tell, and what. Open deliveries are looked for by their two indexes, in a part of those that are due.
 * Values: tenant, endpoint, the user type of its administrators.
 */
const findFacts = statement<Facts>(
  'webhooks.find_disabled_facts',
  `select array(select email from app_user where tenant_id = $1 and user_type = $3 and state order by id) as addresses,
          (select first_failure_at from webhook_endpoint where id = $2) as first_failure_at,
          (select count(*) from (
             (select 1 from delivery where state = 'OPEN' and aside and endpoint_id = $2 limit ${countedAtMost})
              union all
             (select 1 from (select endpoint_id from delivery where state = 'OPEN' and not aside
                              order by due_at limit ${countedAtMost}) as due where endpoint_id = $2)
           ) as waiting) as waiting`,
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
    const [facts] = (await database.run(findFacts, [webhook.tenantId, webhook.id, userType])) as [Facts];
    const message = messageOf(webhook, reason, facts, { publicUrl, nowMs: clock() });
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
  { first_failure_at, waiting }: Facts,
  { publicUrl, nowMs }: { publicUrl: string; nowMs: number },
): { subject: string; text: string } {
  const now = new Date(nowMs).toISOString();
  const since = first_failure_at ?? now;
  const why =
    reason === 'gone'
      ? `At ${now} it answered 410 Gone, which says that it is gone for good.`
      : `Nothing has been delivered to it since ${since}: every delivery failed, with all its tries, for five days.`;
  return {
    subject: `Webhook ${id} was switched off`,
    text: [
      `Webhook ${id} was switched off and is sent nothing more:`,
      '',
      url,
      '',
      why,
      '',
      `${waitingText(waiting)} Events go on being kept: none is lost.`,
      '',
      'When the receiver works again, switch the webhook on,',
      '',
      `  POST ${publicUrl}/api/webhook/modify`,
      `  ${JSON.stringify({ id, state: true })}`,
      '',
      'and have sent to it what happened meanwhile:',
      '',
      `  POST ${publicUrl}/api/webhook/replay`,
      `  ${JSON.stringify({ endpointId: id, since, states: ['FAILED', 'CANCELLED', 'MISSING'] })}`,
    ].join('\n'),
  };
}

function waitingText(waiting: number): string {
  if (waiting === 0) return 'No delivery is waiting for it.';
  if (waiting === 1) return 'One delivery is waiting for it, and is called off as it falls due.';
  const count = waiting >= countedAtMost ? `${countedAtMost} deliveries or more` : `${waiting} deliveries`;
  return `${count} are waiting for it, and are called off as they fall due.`;
}
