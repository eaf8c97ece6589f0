import type { EventType } from '../../../core/event-types.ts';
import { publicId } from '../../../core/id.ts';
import { afterCommit, type Queryable, type Transaction } from '../../../platform/postgres/database.ts';
import { appendEvents, eventDraft } from '../../webhooks/events/append-events.cte.ts';
import { bookDisputeTransfers, type DisputeTransfer, disputeTransferColumns } from '../ledger/dispute-statements.ts';
import { appendDiscrepancyEvent } from '../operations/discrepancies/record.ts';
import { insertDisputeDiscrepancy } from '../operations/discrepancies/statements.ts';
import type { OperationRow } from '../operations/statements.ts';
import type { ProviderDispute } from '../providers/dispute.ts';
import { changeDisputedAmount } from '../transactions/dispute-statements.ts';
import type { ExcessOfInvoice } from '../transactions/invoice-payments.ts';
import type { PaymentRow } from '../transactions/record.ts';
import type { ApplyDeps } from './apply-deps.ts';
import { changeOf, type DisputeChange, fundsIn, isChanged } from './change.ts';
import { endMethod, lockCustomerOfMethod } from './ended-method.ts';
import { type DisputeRow, dispute } from './record.ts';
import { reviewRefunds } from './refunds-left.ts';
import {
  disputeInput,
  findMovements,
  insertDisputes,
  insertMovements,
  lockDisputeByReference,
  type MovementKind,
  type MovementRow,
  movementInput,
  touchDispute,
  updateDisputes,
} from './statements.ts';

/**
 * Writes what a provider says of a dispute about a charge: the dispute, its funds in the ledger and on the payment, and
 * its events, in one transaction. The payment is locked, so that no refund is created meanwhile. Repeating it changes
 * nothing, and a reading that began before what is known changes nothing either.
 */
export function applyReading(
  charge: OperationRow,
  reported: ProviderDispute,
  readMs: number,
  deps: ApplyDeps,
): Promise<void> {
  const { database, payments } = deps;
  return database.transaction(async (transaction) => {
    await payments.lockInvoices(transaction, [charge]);
    await lockCustomerOfMethod(transaction, charge, reported, deps);
    const payment = await payments.lock(transaction, charge);
    const key = [charge.operation_channel_id, reported.reference, charge.id];
    const [before = null] = await transaction.run(lockDisputeByReference, key);
    if (before !== null && readMs < Date.parse(before.read_at)) return;
    const known = before === null ? [] : await transaction.run(findMovements, [before.tenant_id, before.id]);
    const disputed = { ...charge, channelId: charge.operation_channel_id, provider: charge.operation_provider };
    const change = changeOf(before, known, reported, disputed, { ...deps, atMs: deps.clock(), readMs });
    const { followed, excess } = await withInvoice(transaction, payment, change, deps);
    await write(transaction, payment, before, followed, deps);
    if (excess !== null) await deps.invoicePayments.settleExcess(transaction, excess);
    if (before === null) await endMethod(transaction, payment, reported, deps);
  });
}

/**
 * The invoice of the payment is paid less by a dispute that is lost, and again by one that is won, of which something
 * may be left over.
 */
async function withInvoice(
  transaction: Transaction,
  { invoice_id: invoiceId }: PaymentRow,
  change: DisputeChange,
  { invoicePayments }: ApplyDeps,
): Promise<{ followed: DisputeChange; excess: ExcessOfInvoice | null }> {
  const unchanged = { followed: change, excess: null };
  if (invoiceId === null) return unchanged;
  const {
    tenant_id: tenantId,
    transaction_id: transactionId,
    reason,
    status,
    amount_withdrawn,
    amount_unpaid,
  } = change.after;
  const withdrawn = status === 'LOST' ? Math.max(amount_withdrawn, 0) : 0;
  if (withdrawn === 0 && amount_unpaid === 0) return unchanged;
  const dispute = { tenantId, invoiceId, transactionId, reason, withdrawn, unpaid: amount_unpaid };
  const { unpaid, excess } = await invoicePayments.followDispute(transaction, dispute);
  return {
    followed: { ...change, after: { ...change.after, amount_unpaid: unpaid } },
    excess: excess === 0 ? null : { tenantId, invoiceId, transactionId, amount: excess },
  };
}

async function write(
  transaction: Transaction,
  payment: PaymentRow,
  before: DisputeRow | null,
  { after, movements, events }: DisputeChange,
  deps: ApplyDeps,
): Promise<void> {
  if (before !== null && movements.length === 0 && !isChanged(before, after)) {
    await transaction.run(touchDispute, [after.tenant_id, after.id, Date.parse(after.read_at)]);
    return;
  }
  const written = await writeDispute(transaction, before, after, events, deps);
  if (movements.length === 0) return;
  await bookMovements(transaction, written, movements, deps);
  const channelId = written.channel_id;
  await reviewRefunds(transaction, payment, { channelId, code: 'payment_disputed' }, deps);
  if (movements.some(({ booked, kind }) => !booked && kind === 'WITHDRAWN'))
    await reportCurrency(transaction, written, deps);
}

/** Until a person says what was withdrawn in the payment's currency, no refund of the payment is taken. */
async function reportCurrency(transaction: Transaction, row: DisputeRow, deps: ApplyDeps): Promise<void> {
  const { clock, generateUuid, onOtherCurrency } = deps;
  const { tenant_id, id, transaction_id, channel_id, provider_reference, amount, currency } = row;
  const values = [tenant_id, generateUuid(), transaction_id, id, channel_id, provider_reference, amount, currency];
  const [opened] = await transaction.run(insertDisputeDiscrepancy, [...values, clock()]);
  if (opened === undefined) return;
  await appendDiscrepancyEvent(transaction, 'discrepancy.opened', opened, generateUuid);
  afterCommit(transaction, () => onOtherCurrency(opened));
}

/** Writes a new dispute, or one that is locked, as its next version, with events about it. Returns it as it is then. */
export async function writeDispute(
  transaction: Queryable,
  before: DisputeRow | null,
  change: DisputeRow,
  events: readonly EventType[],
  { clock, generateUuid, observeDispute }: Pick<ApplyDeps, 'clock' | 'generateUuid' | 'observeDispute'>,
): Promise<DisputeRow> {
  const time = new Date(clock()).toISOString();
  const updated_at = before !== null && before.updated_at > time ? before.updated_at : time;
  const row = { ...change, version: (before?.version ?? 0) + 1, updated_at };
  const written = await transaction.run(
    before === null ? insertDisputes : updateDisputes,
    disputeInput.parametersOf([row]),
  );
  if (before !== null && written.length === 0) throw new Error(`Dispute ${row.id} changed while it was locked.`);
  if (events.length > 0) {
    const { tenant_id: tenantId, livemode } = row;
    const subject = { tenantId, livemode, objectId: publicId('dsp', row.id), object: dispute.show(row) };
    await appendEvents(
      transaction,
      events.map((type) => eventDraft(type, subject, generateUuid())),
    );
    afterCommit(transaction, () => {
      for (const type of events) observeDispute(row, type);
    });
  }
  return row;
}

/** Books the movements of a dispute whose payment is locked, and shows on the payment what they withdraw. */
export async function bookMovements(
  transaction: Queryable,
  row: DisputeRow,
  movements: readonly MovementRow[],
  { clock }: Pick<ApplyDeps, 'clock'>,
): Promise<void> {
  await transaction.run(insertMovements, movementInput.parametersOf(movements));
  const booked = movements.filter((movement) => movement.booked);
  if (booked.length === 0) return;
  const transfers = booked.map((movement) => transferOf(movement, row));
  await transaction.run(bookDisputeTransfers, disputeTransferColumns.parametersOf(transfers));
  const withdrawn = fundsIn(booked);
  if (withdrawn === 0) return;
  await transaction.run(changeDisputedAmount, [row.tenant_id, row.transaction_id, withdrawn, clock()]);
}

const accountsOf = {
  WITHDRAWN: ['DISPUTED', 'PROVIDER_RECEIVABLE'],
  REINSTATED: ['PROVIDER_RECEIVABLE', 'DISPUTED'],
  FEE_CHARGED: ['PROVIDER_FEES', 'PROVIDER_RECEIVABLE'],
  FEE_RETURNED: ['PROVIDER_RECEIVABLE', 'PROVIDER_FEES'],
} as const satisfies Record<MovementKind, readonly [debit: string, credit: string]>;

function transferOf({ id, kind, amount, currency, created_at }: MovementRow, row: DisputeRow): DisputeTransfer {
  const [debit, credit] = accountsOf[kind];
  return {
    tenantId: row.tenant_id,
    livemode: row.livemode,
    sourceId: id,
    transactionId: row.transaction_id,
    disputeId: row.id,
    channelId: row.channel_id,
    debit,
    credit,
    currency,
    amount,
    atMs: Date.parse(created_at),
  };
}
