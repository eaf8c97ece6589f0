import type { Static } from 'typebox';
import { invalid, notFound } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { type Actor, appendAudit } from '../../identity/audit/append.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import type { PaymentsApp } from '../app.ts';
import { changeMethod, customerOf } from './change.ts';
import { openMethodOperation } from './operation-statements.ts';
import { lockedMethod, readMethod } from './read.ts';
import { type MethodRecord, type MethodRow, method } from './record.ts';
import { isUsable, unusable } from './rules.ts';
import type { detachInput } from './schema.ts';
import { findSharingReference } from './statements.ts';

const path = '/api/payment-method/detach';

/**
 * Removes a payment method, here at once and at its provider by a worker. A charge that was sent goes on. Refused while
 * a living subscription names it (`payment_method_in_use`), unless `replaceWith` names another usable method.
 */
export async function detachMethod(
  { body: input, principal: caller, idempotencyKey }: Call<Static<typeof detachInput>>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<MethodRecord>> {
  const principal = await actFor(caller, input.tenantId, app.database);
  const found = await readMethod(app.database, input.id, principal);
  const other =
    input.replaceWith === undefined
      ? undefined
      : await readMethod(app.database, input.replaceWith, principal, 'replaceWith');
  const request = { tenantId: found.tenant_id, path, key: idempotencyKey, input, nowMs: app.clock() };
  return answerOnce(app.database, request, async (transaction) =>
    method.show(await detachLocked(transaction, found, other, principal, app)),
  );
}

/** Detaches a method in the caller's transaction. `actor`: who does it, for the audit log. */
export async function detachLocked(
  transaction: Queryable,
  found: MethodRow,
  replacement: MethodRow | undefined,
  actor: Actor,
  app: Pick<PaymentsApp, 'methodCustomers' | 'clock' | 'generateUuid'>,
): Promise<MethodRow> {
  await app.methodCustomers.lock(transaction, customerOf(found));
  const row = await lockedMethod(transaction, found);
  if (row.status === 'FAILED') throw unusable(row, 'id');
  if (row.status === 'DETACHED') return row;
  const other = replacement && (await lockedMethod(transaction, replacement));
  if (other !== undefined) requireReplacement(row, other);
  await app.methodCustomers.replace(transaction, row, other ?? null);
  const after = await changeMethod(transaction, row, { status: 'DETACHED' }, app);
  if (row.reference_sealed !== null && (await endsAtProvider(transaction, row))) {
    const { tenant_id, id, channel_id, provider } = row;
    await transaction.run(openMethodOperation, [tenant_id, id, 'DETACH', channel_id, provider, app.clock()]);
  }
  const shown = { before: method.show(row), after: method.show(after) };
  const recordId = publicId('mtd', row.id);
  const details = other === undefined ? {} : { details: { replaceWith: publicId('mtd', other.id) } };
  const change = { action: 'payment_method.detach', tenantId: row.tenant_id, recordId, ...shown, ...details } as const;
  await appendAudit(transaction, actor, change);
  return after;
}

function requireReplacement(row: MethodRow, other: MethodRow): void {
  if (other.id === row.id) throw invalid('replaceWith', rule('another_method'));
  if (other.tenant_id !== row.tenant_id || other.customer_id !== row.customer_id) {
    const id = publicId('mtd', other.id);
    throw notFound('payment method', id, 'replaceWith');
  }
  if (!isUsable(other)) throw unusable(other, 'replaceWith');
}

/** Whether no other method here is the same one at the provider, as after setting it up twice. */
async function endsAtProvider(transaction: Queryable, row: MethodRow): Promise<boolean> {
  const sharing = await transaction.run(findSharingReference, [row.tenant_id, row.id]);
  return sharing.length === 0;
}
