import { publicId } from '../../../../core/id.ts';
import { type Actor, appendAudit } from '../../../identity/audit/append.ts';
import type { ChannelRow } from '../../../payments/channels/statements.ts';
import { makeDefault } from '../../../payments/methods/change.ts';
import { detachLocked } from '../../../payments/methods/detach.ts';
import { lockedMethod } from '../../../payments/methods/read.ts';
import { method } from '../../../payments/methods/record.ts';
import { isUsable } from '../../../payments/methods/rules.ts';
import { beginSetup } from '../../../payments/methods/setup.ts';
import type { Consent } from '../../../payments/providers/kept-method.ts';
import type { BillingApp } from '../../app.ts';
import type { MethodOnPage } from '../method-statements.ts';
import type { PortalRow } from './statements.ts';

/** Makes a method of the customer the default, if it can be charged. */
export async function chooseDefault(
  { tenant_id: tenantId, customer_id: customerId }: PortalRow,
  chosen: MethodOnPage,
  actor: Actor,
  app: BillingApp,
): Promise<void> {
  await app.database.transaction(async (transaction) => {
    await app.methodCustomers.lock(transaction, { tenantId, customerId });
    const row = await lockedMethod(transaction, chosen);
    if (!isUsable(row)) return;
    const [before, after] = [method.show(row), method.show(await makeDefault(transaction, row, app))];
    const recordId = publicId('mtd', row.id);
    await appendAudit(transaction, actor, { action: 'payment_method.default', tenantId, recordId, before, after });
  });
}

/** Removes a method. Refused (`payment_method_in_use`) while a subscription names it. */
export async function removeMethod(chosen: MethodOnPage, actor: Actor, app: BillingApp): Promise<void> {
  await app.database.transaction(async (transaction) => {
    const row = await lockedMethod(transaction, chosen);
    await detachLocked(transaction, row, undefined, actor, app);
  });
}

/** Begins to set a method up at the provider of a channel. Returns its public id. */
export async function addMethod(
  { tenant_id: tenantId, customer_id: id, customer_name: name, customer_email: email, livemode }: PortalRow,
  channel: ChannelRow,
  { returnUrl, consent, isDefault }: { returnUrl: string; consent: Consent; isDefault: boolean },
  actor: Actor,
  app: BillingApp,
): Promise<string> {
  const customer = { tenantId, id, livemode, name, email };
  const setup = { customer, channel, returnUrl, consent, isDefault: isDefault || null };
  const row = await app.database.transaction((transaction) => beginSetup(transaction, setup, actor, app));
  return publicId('mtd', row.id);
}
