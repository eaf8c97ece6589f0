import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { WebhooksApp } from '../../webhooks/app.ts';
import type { PaymentsApp } from '../app.ts';
import { ChargeMethods } from './charges.ts';
import { RegisteredMethodCustomers } from './customers.ts';
import { expiryWorker } from './expiry.ts';
import { modeReports } from './mode.ts';
import { MethodNotices } from './notices.ts';
import { readingWorker } from './reading.ts';
import { WaitingSetups } from './waiting-setups.ts';
import { methodWorker } from './worker.ts';

/** Makes what sets payment methods up at providers. */
export function methodServices(
  app: WebhooksApp &
    Pick<PaymentsApp, 'settings' | 'providers' | 'channels' | 'credentials' | 'operatorWarnings'> & {
      discrepancies: { labels: (kind: 'mode_mismatch') => { inc: () => void } };
    },
) {
  const { settings, sandboxEnabled, queueDatabase, workerDatabase, log, discrepancies } = app;
  const methodCustomers = new RegisteredMethodCustomers();
  const common = {
    ...app,
    database: workerDatabase,
    methodCustomers,
    disabledProviders: new Set(sandboxEnabled ? [] : (['sandbox'] as const)),
    timeoutMs: settings['app.provider.timeout'],
    payerTimeoutMs: settings['app.payment.payer-timeout'],
    ...failureLog(log, 'Setting up payment methods'),
    ...modeReports(log, () => discrepancies.labels('mode_mismatch').inc()),
  };
  const chargeMethods = new ChargeMethods({ ...app, database: queueDatabase, methodCustomers });
  const methodNotices = new MethodNotices(common);
  return {
    methodCustomers,
    methodWorker: methodWorker(common),
    expiryWorker: expiryWorker(common),
    readingWorker: readingWorker(common, methodNotices),
    methodNotices,
    waitingSetups: new WaitingSetups(common),
    chargeMethods,
  };
}
