import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import type { Call } from '../../../platform/http/route.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import type { PaymentsApp } from '../app.ts';
import { customerOf, makeDefault } from './change.ts';
import { lockedMethod, readMethod } from './read.ts';
import { type MethodRecord, method } from './record.ts';
import { isUsable, unusable } from './rules.ts';
import type { defaultInput } from './schema.ts';

const path = '/api/payment-method/default';

/** Makes a payment method the default of its customer. */
export async function setDefaultMethod(
  { body: input, principal: caller, idempotencyKey }: Call<Static<typeof defaultInput>>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<MethodRecord>> {
  const principal = await actFor(caller, input.tenantId, app.database);
  const found = await readMethod(app.database, input.id, principal);
  const request = { tenantId: found.tenant_id, path, key: idempotencyKey, input, nowMs: app.clock() };
  return answerOnce(app.database, request, async (transaction) => {
    await app.methodCustomers.lock(transaction, customerOf(found));
    const row = await lockedMethod(transaction, found);
    if (!isUsable(row)) throw unusable(row, 'id');
    const [before, after] = [method.show(row), method.show(await makeDefault(transaction, row, app))];
    const recordId = publicId('mtd', row.id);
    const tenantId = row.tenant_id;
    await appendAudit(transaction, principal, { action: 'payment_method.default', tenantId, recordId, before, after });
    return after;
  });
}
