import { secondMs } from '../../../core/clock.ts';
import { failureLog } from '../../../platform/jobs/failure-log.ts';
import { Worker } from '../../../platform/jobs/worker.ts';
import type { Module } from '../../../platform/module.ts';
import type { IdentityApp } from '../app.ts';
import { chainAuditEntries } from './chain.ts';
import { expireAuditEntries } from './expire.ts';
import { auditChecks, auditFindings } from './integrity.ts';
import { auditRoutes } from './routes.ts';
import { auditEntry } from './schema.ts';
import { settings } from './settings.ts';
import { auditDue } from './statements.ts';

/** The entries of a second are chained together. */
const chainEveryMs = secondMs;
/** For entries whose notification was lost, or whose process died. */
const idleChainEveryMs = 15 * secondMs;

/** The audit log: who did what to which record, chained by hashes so that tampering is found. */
export const audit = {
  name: 'audit',
  tables: ['audit_entry', 'audit_chain'],
  settings,
  auditActions: {
    'access.refuse': 'A request was refused for lack of permission.',
    'backup.create': 'A backup of the whole database was made and proven. Its id is the name of its folder.',
    'audit.export': 'The audit log was exported.',
    'audit.begin':
      'The first entry of the log was noted, because the log does not begin with the creation of its tenant.',
    'audit.expire':
      'Expired entries were removed. Holds the number and the hash of the last one, from which the chain continues.',
  },
  reference: [{ name: 'Audit log', description: 'Who did what to which record, and when.' }],
  resources: { 'audit entry': auditEntry },
  routes: auditRoutes,
  workers: ({ workerDatabase, log }) => [
    new Worker<never>({
      name: 'audit chain',
      wakesOn: auditDue,
      claim: async () => {
        await chainAuditEntries(workerDatabase);
        return [];
      },
      slots: 1,
      gapMs: chainEveryMs,
      pollMs: () => idleChainEveryMs,
      ...failureLog(log, 'Chaining the audit log'),
    }),
  ],
  retention: ({ database, settings: { 'app.audit.keep': keepMs } }) => [
    { name: 'audit log', sweep: (nowMs) => expireAuditEntries(database, nowMs, keepMs) },
  ],
  integrity: auditChecks,
  findings: auditFindings,
} satisfies Module<IdentityApp>;
