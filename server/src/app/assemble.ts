import { billingServices } from '../domains/billing/services.ts';
import { identityServices } from '../domains/identity/services.ts';
import { paymentsServices } from '../domains/payments/services.ts';
import { webhooksServices } from '../domains/webhooks/services.ts';
import type { Secrets } from './config/secrets.ts';
import { makeNode, type NodeOptions } from './node.ts';
import type { OpenDatabase } from './open-database.ts';
import { addSystemMetrics } from './system/metrics.ts';

/** A node with the services of all modules. */
export type Context = ReturnType<typeof assemble>;

/** Makes a node with the services of all modules. Nothing is started; the lifecycle stops what is. */
export function assemble(
  opened: Pick<OpenDatabase, 'connection' | 'direct' | 'replica' | 'isOursAlone'>,
  secrets: Pick<Secrets, 'jwtKeys' | 'encryptionKeys'>,
  options: NodeOptions,
) {
  const node = makeNode(opened, secrets, options);
  const identity = { ...identityServices(node), ...node };
  const webhooks = { ...webhooksServices(identity), ...node };
  const payments = { ...paymentsServices(webhooks), ...node };
  addSystemMetrics(node);
  return { ...billingServices(payments), ...node };
}
