import { type Clock, dayMs, minuteMs } from '../../../core/clock.ts';
import { isUnavailable } from '../../../core/errors.ts';
import { claimBy, leasesOf } from '../../../platform/jobs/lease-statements.ts';
import { type FailureReports, type Leased, Worker } from '../../../platform/jobs/worker.ts';
import { isAddressRefused, type Mail, type Mailer } from '../../../platform/mail/mailer.ts';
import { retryWhileUnavailable } from '../../../platform/postgres/connection/retry.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import type { MailQueue, QueuedMail } from './queue-statements.ts';
import { retryAt } from './rules.ts';

export interface MailWorkerOptions<Queued extends QueuedMail> extends FailureReports {
  /** What it sends, such as `mails to users`. */
  name: string;
  queue: MailQueue<Queued>;
  /** Writes the mail when it is sent; safe to run again. Undefined: there is no reason to send it any more. */
  compose: (queued: Queued) => Promise<Mail | undefined>;
  database: Database;
  clock: Clock;
  mailer: Pick<Mailer, 'send'>;
  logError: (error: unknown, message: string) => void;
}

/** Few mail servers accept more connections from one sender. */
const maximumInFlight = 4;
/** Longer than all timeouts of one SMTP conversation together. */
const leaseMs = 2 * minuteMs;

interface TryResult {
  state: 'OPEN' | 'SENT' | 'FAILED' | 'CANCELLED';
  tries: number;
  dueMs: number;
}

/**
 * Sends the mails of a queue. While the mail server is down they are retried for about three days (`retryWaitsMs`).
 * Each is sent at least once: when the process dies after sending, SMTP cannot tell whether the message was accepted,
 * and it is sent again under the same Message-ID.
 */
export function mailWorker<Queued extends QueuedMail>(options: MailWorkerOptions<Queued>): Worker<Queued> {
  const { name, queue, onError, onRecovered } = options;
  const leasing = { ...options, leaseMs };
  return new Worker<Queued>({
    name,
    dueWork: queue.dueWork,
    claim: claimBy(queue.claim, leasing),
    leases: leasesOf(queue.table, leasing),
    keyOf: ({ id }) => id,
    perform: (queued) => perform(queued, options),
    slots: maximumInFlight,
    onError,
    onRecovered,
  });
}

async function perform<Queued extends QueuedMail>(
  queued: Leased<Queued>,
  options: MailWorkerOptions<Queued>,
): Promise<void> {
  const { queue, database, clock } = options;
  const { state, tries, dueMs } = await trySending(queued, options);
  // Again after a short outage, because a mail whose end is not recorded is sent again.
  await retryWhileUnavailable(() =>
    database.run(queue.record, [queued.tenant_id, queued.id, queued.lease, state, tries, dueMs, clock()]),
  );
}

async function trySending<Queued extends QueuedMail>(
  queued: Queued,
  { name, compose, clock, mailer, logError }: MailWorkerOptions<Queued>,
): Promise<TryResult> {
  const { id, tries } = queued;
  try {
    const mail = await retryWhileUnavailable(() => compose(queued));
    if (mail === undefined) return { state: 'CANCELLED', tries, dueMs: clock() };
    await mailer.send({ ...mail, id });
    return { state: 'SENT', tries, dueMs: clock() };
  } catch (error) {
    // Says nothing about the mail: it is due again when its lease expires.
    if (isUnavailable(error)) throw error;
    const dueMs = isAddressRefused(error) ? undefined : retryAt(tries, clock());
    if (dueMs !== undefined) return { state: 'OPEN', tries: tries + 1, dueMs };
    logError(error, `One of the ${name} could not be sent (${id}).`);
    return { state: 'FAILED', tries: tries + 1, dueMs: clock() };
  }
}

const retentionMs = 30 * dayMs;

/** Deletes mails that ended 30 days ago. */
export function sweepMails(
  queue: Pick<MailQueue<QueuedMail>, 'sweep'>,
  database: Queryable,
  nowMs: number,
): Promise<number> {
  return deleteInBatches(database, queue.sweep, [nowMs - retentionMs]);
}
