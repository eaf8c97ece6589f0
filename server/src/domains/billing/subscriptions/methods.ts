import { notFound, Refusal } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { findMethodOfCustomer } from '../../payments/methods/read.ts';
import type { MethodRow } from '../../payments/methods/record.ts';
import { isUsable, unusable } from '../../payments/methods/rules.ts';
import type { BillingApp } from '../app.ts';
import { retriedAtOnce } from './collections/dunning.ts';
import { findOpenCollections } from './collections/statements.ts';
import { subscriptionNowMs } from './periods/subscription-time.ts';
import { type Change, writeChanges } from './renewal/write-changes.ts';
import { withChange } from './rules.ts';
import { findSubscriptionsOfMethod, inLockOrder, lockSubscriptions, type SubscriptionWithTerms } from './statements.ts';

/** The method that a subscription shall name: one of its customer that can be charged. */
export async function methodForSubscription(
  database: Queryable,
  methodId: string,
  customer: { tenantId: number; customerId: number },
): Promise<MethodRow> {
  const row = await findMethodOfCustomer(database, methodId, customer);
  if (row === undefined) throw notFound('payment method', methodId, 'methodId');
  if (!isUsable(row)) throw unusable(row, 'methodId');
  return row;
}

/** What a subscription changes with its method: its failed invoices are tried with it at once. */
export async function changeOfMethod(
  transaction: Queryable,
  row: SubscriptionWithTerms,
  methodId: string | null,
  nowMs: number,
): Promise<Pick<Change, 'collections'>> {
  if (methodId === row.method_id) return {};
  const collections = await transaction.run(findOpenCollections, [[row.tenant_id], [row.id]]);
  return { collections: retriedAtOnce(collections, nowMs) };
}

/**
 * Names another method in the living subscriptions that name this one, before it is detached. Refuses
 * (`payment_method_in_use`) if there are any and there is no other method.
 */
export async function replaceMethod(
  transaction: Queryable,
  method: MethodRow,
  other: MethodRow | null,
  app: Pick<BillingApp, 'clock' | 'generateUuid'>,
): Promise<void> {
  const naming = await transaction.run(findSubscriptionsOfMethod, [method.tenant_id, method.id]);
  if (naming.length === 0) return;
  if (other === null)
    throw inUse(
      method,
      naming.map(({ subscription_id }) => subscription_id),
    );
  const rows = await transaction.run(lockSubscriptions, inLockOrder(naming));
  const changes: Change[] = [];
  for (const row of rows.filter(({ method_id }) => method_id === method.id)) {
    const atMs = await subscriptionNowMs(transaction, row, app.clock);
    const after = withChange(row, { method_id: other.id }, atMs);
    changes.push({ before: row, after, atMs, ...(await changeOfMethod(transaction, row, other.id, atMs)) });
  }
  await writeChanges(transaction, changes, app);
}

function inUse({ id }: MethodRow, subscriptionIds: number[]): Refusal {
  return new Refusal('payment_method_in_use', rule('method_in_use', { methodId: publicId('mtd', id) }), {
    field: 'id',
    details: { subscriptionIds },
  });
}
