import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { Module } from '../../../platform/module.ts';
import type { IdentityApp } from '../app.ts';
import { userMails } from './statements.ts';
import { mailWorker, sweepMails } from './worker.ts';

/** Mails to users that must arrive: queued in the transaction of the change that they report, sent by a worker. */
export const mails = {
  name: 'mails',
  tables: ['user_mail'],
  workers: (app) => [userMailWorker(app)],
  retention: ({ database }) => [{ name: 'mails to users', sweep: (nowMs) => sweepMails(userMails, database, nowMs) }],
} satisfies Module<IdentityApp>;

function userMailWorker({ userMailComposers, workerDatabase, clock, mailer, logError, log }: IdentityApp) {
  return mailWorker({
    name: 'mails to users',
    queue: userMails,
    compose: userMailComposers.compose,
    database: workerDatabase,
    clock,
    mailer,
    logError,
    ...failureLog(log, 'Mailing users'),
  });
}
