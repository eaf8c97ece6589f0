import type { Queryable } from '../../../platform/postgres/database.ts';
import { type Actor, appendAudit } from '../../identity/audit/append.ts';
import type { CaptureMethod } from '../../payments/transactions/record.ts';
import type { BillingApp } from '../app.ts';
import { recordOf } from './record.ts';
import { hashOfToken, newToken, tokenAssociatedData } from './rules.ts';
import { type CheckoutRow, findCheckout, insertCheckout, nextCheckoutId } from './statements.ts';

/** A checkout to insert. */
export interface CheckoutDraft {
  tenantId: number;
  livemode: boolean;
  invoiceId: number | null;
  /** Null exactly if there is an invoice. */
  amount: number | null;
  currency: string;
  channelIds: readonly number[];
  /** Default: AUTOMATIC. */
  captureMethod?: CaptureMethod | undefined;
  customerId: number | null;
  description: string | null;
  metadata: object | null;
  returnUrl: string | null;
  userId: number;
  expiresMs: number;
  /** Whether its page offers the customer's payment methods. Default: false. */
  offersMethods?: boolean;
}

/** Inserts a checkout with a new token, and its entry in the audit log, which does not contain the URL. */
export async function insertNewCheckout(
  transaction: Queryable,
  draft: CheckoutDraft,
  actor: Actor,
  nowMs: number,
  app: BillingApp,
): Promise<CheckoutRow> {
  const { tenantId } = draft;
  const [{ id }] = (await transaction.run(nextCheckoutId)) as [{ id: number }];
  const token = newToken();
  await transaction.run(insertCheckout, [
    tenantId,
    id,
    draft.livemode,
    hashOfToken(token),
    app.seal(token, tokenAssociatedData(tenantId, id)),
    draft.invoiceId,
    draft.amount,
    draft.currency,
    draft.channelIds,
    draft.customerId,
    draft.description,
    draft.metadata && JSON.stringify(draft.metadata),
    draft.returnUrl,
    draft.userId,
    draft.expiresMs,
    nowMs,
    draft.offersMethods ?? false,
    draft.captureMethod === 'MANUAL' ? 'MANUAL' : null,
  ]);
  const [row] = (await transaction.run(findCheckout, [[tenantId], id])) as [CheckoutRow];
  const after = { ...recordOf(row, nowMs, app), url: undefined };
  await appendAudit(transaction, actor, { action: 'checkout.create', tenantId, recordId: id, after });
  return row;
}
