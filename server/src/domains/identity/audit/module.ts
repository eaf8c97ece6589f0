import { dayMs, secondMs } from '../../../core/clock.ts';
import { failureLog, Worker } from '../../../platform/jobs/worker.ts';
import { defineModule } from '../../../platform/module.ts';
import type { Node, NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast } from '../../../platform/settings/kinds.ts';
import { chainAuditEntries } from './chain.ts';
import { expireAuditEntries } from './expire.ts';
import { auditChecks, auditFindings } from './integrity.ts';
import { RefusedRequests } from './refused-requests.ts';
import { auditRoutes } from './routes.ts';
import { auditEntry } from './schema.ts';
import { auditDue } from './statements.ts';

const settings = {
  'app.audit.keep': setting(durationOfAtLeast(dayMs, 'a day'), {
    default: '400d',
    description: 'How long entries of the audit log are kept. The default covers a yearly audit.',
  }),
};

/** The entries of a second are chained together. */
const chainEveryMs = secondMs;
/** For entries whose notification was lost, or whose process died. */
const idleChainEveryMs = 15 * secondMs;

type Needs = NodeWith<SettingsOf<typeof settings>>;

/** The audit log: who did what to which record, chained by hashes so that tampering is found. */
export const audit = defineModule({
  name: 'audit',
  tables: ['audit_entry', 'audit_chain'],
  settings,
  auditActions: {
    'access.refuse': 'A request was refused for lack of permission.',
    'audit.export': 'The audit log was exported.',
    'audit.begin':
      'The first entry of the log was noted, because the log does not begin with the creation of its tenant.',
    'audit.expire':
      'Expired entries were removed. Holds the number and the hash of the last one, from which the chain continues.',
  },
  reference: [{ name: 'Audit log', description: 'Who did what to which record, and when.' }],
  resources: { 'audit entry': auditEntry },
  schemas: { AuditEntry: auditEntry },
  provide: ({ database, lifecycle, logError }: Node) => {
    const refusedRequests = new RefusedRequests({ database, logError });
    lifecycle.add('refused requests', () => refusedRequests.stop());
    return { refusedRequests };
  },
  routes: (node: Node) => auditRoutes(node),
  workers: ({ workerDatabase, log }: Node) => [
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
  retention: ({ database, settings: { 'app.audit.keep': keepMs } }: Needs) => [
    { name: 'audit log', sweep: (nowMs) => expireAuditEntries(database, nowMs, keepMs) },
  ],
  integrity: auditChecks,
  findings: auditFindings,
});
