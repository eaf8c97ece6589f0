import { type Clock, dayMs, minuteMs } from '../../../../core/clock.ts';
import { claimBy, leasesOf } from '../../../../platform/jobs/lease-statements.ts';
import { type FailureReports, type Leased, Worker } from '../../../../platform/jobs/worker.ts';
import { isAddressRefused, type Mailer } from '../../../../platform/mail/mailer.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import { deleteInBatches } from '../../../../platform/postgres/delete-in-batches.ts';
import type { InvoiceLinks } from './links.ts';
import { messageOf } from './message.ts';
import { retryAt } from './rules.ts';
import {
  claimMails,
  type DueMail,
  findMailContent,
  invoiceMailsDue,
  type MailContent,
  mailDue,
  mailTable,
  recordMail,
  sweepMails,
} from './statements.ts';

export interface MailWorkerDeps extends FailureReports {
  database: Database;
  clock: Clock;
  mailer: Pick<Mailer, 'send'>;
  links: Pick<InvoiceLinks, 'find'>;
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
 * Sends mails to customers. While the mail server is down they are retried for about three days (`retryWaitsMs`). Each is
 * sent at least once: when the process dies after sending, SMTP cannot tell whether the message was accepted, and it is sent
 * again under the same Message-ID.
 */
export function invoiceMailWorker(deps: MailWorkerDeps): Worker<DueMail> {
  const { onError, onRecovered } = deps;
  const leasing = { ...deps, leaseMs };
  return new Worker<DueMail>({
    name: 'invoice mails',
    dueWork: { topic: invoiceMailsDue, due: mailDue },
    claim: claimBy(claimMails, leasing),
    leases: leasesOf(mailTable, leasing),
    keyOf: ({ id }) => id,
    perform: (mail) => perform(mail, deps),
    slots: maximumInFlight,
    onError,
    onRecovered,
  });
}

async function perform(mail: Leased<DueMail>, deps: MailWorkerDeps): Promise<void> {
  const { database, clock } = deps;
  const [content] = await database.run(findMailContent, [mail.tenant_id, mail.invoice_id]);
  const { state, tries, dueMs } = await trySending(mail, content, deps);
  await database.run(recordMail, [mail.tenant_id, mail.id, mail.lease, state, tries, dueMs, clock()]);
}

async function trySending(
  mail: DueMail,
  content: MailContent | undefined,
  { clock, mailer, links, logError }: MailWorkerDeps,
): Promise<TryResult> {
  const { tries } = mail;
  if (content === undefined || content.email === null || !isWanted(mail, content)) {
    return { state: 'CANCELLED', tries, dueMs: clock() };
  }
  try {
    const link = await links.find({ tenantId: mail.tenant_id, invoiceId: mail.invoice_id });
    await mailer.send({ to: content.email, ...messageOf(mail, content, link), id: mail.id });
    return { state: 'SENT', tries, dueMs: clock() };
  } catch (error) {
    const dueMs = isAddressRefused(error) ? undefined : retryAt(tries, clock());
    if (dueMs !== undefined) return { state: 'OPEN', tries: tries + 1, dueMs };
    logError(error, `A mail about invoice ${mail.invoice_id} could not be sent to its customer.`);
    return { state: 'FAILED', tries: tries + 1, dueMs: clock() };
  }
}

/** No mail asks for the payment of an invoice that has since been paid or closed. */
const isWanted = ({ kind }: DueMail, { customer_mails, status }: MailContent) =>
  customer_mails && (kind === 'RECEIPT' || status === 'OPEN');

const retentionMs = 30 * dayMs;

/** Deletes mails that ended 30 days ago. */
export function sweepInvoiceMails(database: Queryable, nowMs: number): Promise<number> {
  return deleteInBatches(database, sweepMails, [nowMs - retentionMs]);
}
