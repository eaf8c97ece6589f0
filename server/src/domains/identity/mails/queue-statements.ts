import type { DueWork } from '../../../platform/jobs/due-work-poller.ts';
import {
  claimStatement,
  type LeasedTable,
  leasedTable,
  recordStatement,
  sweepStatement,
} from '../../../platform/jobs/lease-statements.ts';
import type { Statement, Topic } from '../../../platform/postgres/statement.ts';
import { retryWaitsMs } from './rules.ts';

/** A mail to send. */
export interface QueuedMail {
  tenant_id: number;
  id: string;
  /** How often sending it failed. */
  tries: number;
}

/** A table of mails that must arrive, with the columns of `user_mail` for state, leases and tries. */
export interface MailQueue<Mail extends QueuedMail> {
  table: LeasedTable;
  dueWork: DueWork;
  claim: Statement<Mail>;
  record: Statement<never>;
  sweep: Statement<unknown>;
}

export interface MailQueueOptions<Mail extends QueuedMail> {
  table: string;
  /** Prefix of the names of its statements. */
  name: string;
  /** Published when mails are queued. */
  topic: Topic;
  /** What a row says about its mail. */
  columns: readonly (keyof Mail & string)[];
}

export function mailQueue<Mail extends QueuedMail>({
  table,
  name,
  topic,
  columns,
}: MailQueueOptions<Mail>): MailQueue<Mail> {
  const leased = leasedTable({
    table,
    name,
    open: `state = 'OPEN'`,
    waitMs: `coalesce((array[${retryWaitsMs.join(', ')}]::float8[])[tries], 0)`,
  });
  const ending = { key: ['tenant_id', 'id'], openState: 'OPEN', endedAt: 'ended_at' } as const;
  return {
    table: leased,
    dueWork: { topic, due: `select from ${table} where ${leased.isDue}` },
    claim: claimStatement<Mail>(leased, {
      key: ['tenant_id', 'id'],
      returning: [...new Set(['tenant_id', 'id', 'tries', ...columns])] as (keyof Mail & string)[],
    }),
    record: recordStatement(leased, ending),
    sweep: sweepStatement(leased, ending),
  };
}
