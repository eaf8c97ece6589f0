import { failureLog, type Worker } from '../../../platform/jobs/worker.ts';
import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { type QueuedUserMail, userMails } from './statements.ts';
import { UserMailComposers } from './user-mails.ts';
import { mailWorker, sweepMails } from './worker.ts';

/** Mails to users that must arrive: queued in the transaction of the change that they report, sent by a worker. */
export const mails = defineModule({
  name: 'mails',
  tables: ['user_mail'],
  provide: (node: Node) => {
    const userMailComposers = new UserMailComposers();
    const userMailWorker = mailWorker({
      name: 'mails to users',
      queue: userMails,
      compose: userMailComposers.compose,
      database: node.workerDatabase,
      clock: node.clock,
      mailer: node.mailer,
      logError: node.logError,
      ...failureLog(node.log, 'Mailing users'),
    });
    return { userMailComposers, userMailWorker };
  },
  workers: ({ userMailWorker }: { userMailWorker: Worker<QueuedUserMail> }) => [userMailWorker],
  retention: ({ database }: Node) => [
    { name: 'mails to users', sweep: (nowMs) => sweepMails(userMails, database, nowMs) },
  ],
});
