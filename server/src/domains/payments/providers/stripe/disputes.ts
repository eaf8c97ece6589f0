import type Stripe from 'stripe';
import { secondMs } from '../../../../core/clock.ts';
import type {
  DisputeAction,
  DisputeMovement,
  DisputePage,
  DisputeReading,
  EvidenceField,
  ProviderDispute,
  ProviderRefund,
  RefundReading,
} from '../dispute.ts';
import type { Fee } from '../outcome.ts';
import { isStripeApiError } from './declines.ts';
import {
  appealEvidence,
  disputeReasons,
  disputeStatuses,
  evidence,
  evidenceFileTypes,
  maxEvidenceFileBytes,
} from './dispute-vocabulary.ts';
import { failureCodeOf } from './error-codes.ts';
import { createdFrom, keyOf } from './find.ts';
import { modeOf } from './outcomes.ts';
import { idIn, type Reference } from './references.ts';
import { amountOfStripe } from './units.ts';
import { refundStatuses } from './vocabulary.ts';

/**
 * Disputes at Stripe (https://docs.stripe.com/api/disputes), refunds made elsewhere, and debits that fail after they
 * have succeeded. Stripe keeps such a failure at the charge and not as a dispute: its reference is the charge's id.
 */

const pageSize = 100;

/** Reads a dispute, or the charge whose money came back. */
export async function readDispute(stripe: Stripe, id: string, nowMs: number): Promise<DisputeReading> {
  const found = /^(ch|py)_/.test(id)
    ? await readFailedCharge(stripe, id)
    : await unlessMissing(stripe.disputes.retrieve(id).then((dispute) => disputeOf(dispute, nowMs)));
  return found === undefined ? { kind: 'absent' } : { kind: 'read', dispute: found };
}

async function readFailedCharge(stripe: Stripe, id: string): Promise<ProviderDispute | undefined> {
  const charge = await unlessMissing(stripe.charges.retrieve(id, { expand: ['failure_balance_transaction'] }));
  return charge && returnOf(charge);
}

export async function readRefund(stripe: Stripe, id: string): Promise<RefundReading> {
  const refund = await unlessMissing(stripe.refunds.retrieve(id));
  return refund === undefined ? { kind: 'absent' } : { kind: 'read', refund: refundOf(refund) };
}

async function unlessMissing<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isStripeApiError(error) && error.statusCode === 404) return undefined;
    throw error;
  }
}

/**
 * What began since a time: disputes, refunds, debits that failed, and warnings; and the disputes that have changed
 * since, by the events about them. Stripe keeps events for 30 days, whether or not an endpoint takes them
 * (https://docs.stripe.com/api/events/list).
 */
export function listSince(stripe: Stripe, sinceMs: number, cursor: string | null, nowMs: number): Promise<DisputePage> {
  const created = createdFrom(sinceMs);
  return readPage(cursor, {
    disputes: async (paging) => disputesIn(await stripe.disputes.list({ created, ...paging }), nowMs),
    refunds: async (paging) => refundsIn(await stripe.refunds.list({ created, ...paging })),
    returns: async (paging) => {
      const type = 'payment_failure_refund';
      return returnsIn(await stripe.balanceTransactions.list({ created, type, expand: ['data.source'], ...paging }));
    },
    warnings: async (paging) =>
      warningsIn(await ifPermitted(stripe.radar.earlyFraudWarnings.list({ created, ...paging }))),
    changes: async (paging) =>
      changesIn(await ifPermitted(stripe.events.list({ created, types: [...changes], ...paging }))),
  });
}

/** What concerns the money of one charge. */
export function listOf(stripe: Stripe, intentId: string, cursor: string | null, nowMs: number): Promise<DisputePage> {
  const ofCharge = { payment_intent: intentId };
  return readPage(cursor, {
    disputes: async (paging) => disputesIn(await stripe.disputes.list({ ...ofCharge, ...paging }), nowMs),
    refunds: async (paging) => refundsIn(await stripe.refunds.list({ ...ofCharge, ...paging })),
    returns: async () => {
      const expand = ['latest_charge.failure_balance_transaction'];
      const { latest_charge: charge } = await stripe.paymentIntents.retrieve(intentId, { expand });
      const returned = charge === null || typeof charge === 'string' ? undefined : returnOf(charge);
      return { disputes: returned === undefined ? [] : [returned], refunds: [], after: null };
    },
  });
}

/** The events of a dispute after the one that began it. */
const changes = [
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const;

/** A restricted key may read neither warnings nor events: then callbacks and daily readings tell of them. */
async function ifPermitted<Row>(list: Promise<Stripe.ApiList<Row>>): Promise<Listed<Row>> {
  try {
    return await list;
  } catch (error) {
    if (isStripeApiError(error) && error.statusCode === 403) return { data: [], has_more: false };
    throw error;
  }
}

type Listed<Row> = Pick<Stripe.ApiList<Row>, 'data' | 'has_more'>;
type Paging = { limit: number; starting_after?: string };
type Part = Omit<DisputePage, 'kind' | 'next'> & { after: string | null };
type Read = (paging: Paging) => Promise<Part>;

/** Reads the page at a cursor, which names the section, and the last item of the page before in that section. */
async function readPage(
  cursor: string | null,
  sections: Readonly<Record<'disputes' | 'refunds' | 'returns', Read>> & { warnings?: Read; changes?: Read },
): Promise<DisputePage> {
  const [name = '', from = ''] = (cursor ?? 'disputes').split(' ');
  const names = Object.keys(sections);
  const read = Object.entries(sections).find(([section]) => section === name)?.[1];
  if (read === undefined) throw new Error('This cursor is not one of Stripe.');
  const { after, ...found } = await read({ limit: pageSize, ...(from !== '' && { starting_after: from }) });
  const next = after === null ? (names[names.indexOf(name) + 1] ?? null) : `${name} ${after}`;
  return { kind: 'page', ...found, next };
}

function disputesIn(page: Stripe.ApiList<Stripe.Dispute>, nowMs: number): Part {
  // One with a status that Stripe may add does not hold up the others.
  const known = page.data.filter(({ status }) => Object.hasOwn(disputeStatuses, status));
  return { disputes: known.map((dispute) => disputeOf(dispute, nowMs)), refunds: [], after: lastOf(page) };
}

function refundsIn(page: Stripe.ApiList<Stripe.Refund>): Part {
  return { disputes: [], refunds: page.data.map(refundOf), after: lastOf(page) };
}

function returnsIn(page: Stripe.ApiList<Stripe.BalanceTransaction>): Part {
  const returns = page.data.map(({ id, source }) =>
    source !== null && typeof source === 'object' && source.object === 'charge' ? returnOf(source, id) : undefined,
  );
  return { disputes: returns.filter((found) => found !== undefined), refunds: [], after: lastOf(page) };
}

function warningsIn(page: Listed<Stripe.Radar.EarlyFraudWarning>): Part {
  const warnings = page.data.map((warning) => ({
    reference: warning.id,
    chargeReference: chargeReferenceOf(warning),
    atMs: warning.created * secondMs,
    ...modeOf(warning),
  }));
  return { disputes: [], refunds: [], warnings, after: lastOf(page) };
}

/** An event shows its dispute in the version of its endpoint, as it was then: only its id is used. */
function changesIn(page: Listed<Stripe.Event>): Part {
  const changed = page.data.flatMap(({ created, data }) => {
    const { id } = data.object as { id?: unknown };
    return typeof id === 'string' ? [{ reference: id, atMs: created * secondMs }] : [];
  });
  return { disputes: [], refunds: [], changed, after: lastOf(page) };
}

function lastOf({ data, has_more }: Listed<{ id: string }>): string | null {
  return has_more ? (data.at(-1)?.id ?? null) : null;
}

/** A dispute as Stripe answers it. Throws if its status is one that Stripe may add. */
function disputeOf(dispute: Stripe.Dispute, nowMs: number): ProviderDispute {
  const { id: reference, object, evidence_details: details, reason: providerReason } = dispute;
  if (object !== 'dispute' || typeof reference !== 'string') throw new Error('This is not a dispute of Stripe.');
  const currency = dispute.currency.toUpperCase();
  const { reason, methodFailure } = disputeReasons[providerReason] ?? { reason: 'other' };
  const respondBy = details.due_by ? new Date(details.due_by * 1_000).toISOString() : null;
  const standing = standingOf(dispute, respondBy);
  const isAwaited = standing.status === 'OPEN' && respondBy !== null && Date.parse(respondBy) > nowMs;
  return {
    reference,
    chargeReference: chargeReferenceOf(dispute),
    ...standing,
    amount: exactly(dispute.amount, currency),
    currency,
    fee: feeOf(dispute),
    reason,
    providerReason,
    respondBy,
    actions: isAwaited ? actionsAt(dispute.status) : [],
    evidenceFields: isAwaited ? fieldsAt(dispute.status) : [],
    defenseReasons: [],
    movements: movementsOf(dispute, currency),
    ...(methodFailure && { methodFailure }),
    ...modeOf(dispute),
  };
}

/** What has been lost when a bank allows no answer is lost at once; an appeal decides in the stage of the appeal. */
function standingOf({ status, evidence: sent }: Stripe.Dispute, respondBy: string | null) {
  const standing = disputeStatuses[status];
  if (standing === undefined) throw new Error('The dispute has a status that is not known here.');
  if (status === 'needs_response' && respondBy === null) return { ...standing, status: 'LOST' as const };
  const isAppealed = (status === 'won' || status === 'lost') && Boolean(sent.appeal?.card);
  return isAppealed ? { ...standing, stage: 'PRE_ARBITRATION' as const } : standing;
}

/** Closing a dispute accepts it: https://docs.stripe.com/api/disputes/close, from `needs_response` to `lost`. */
function actionsAt(status: string): DisputeAction[] {
  return status === 'needs_response' ? ['SUBMIT', 'ACCEPT'] : ['SUBMIT'];
}

/** "You can't update other dispute evidence during the appeal stage": changelog of 2026-10-28.endive. */
function fieldsAt(status: string): EvidenceField[] {
  return status === 'appeal_needs_response' ? appealFields : evidenceFields;
}

const evidenceFields = fieldsOf(evidence);
const appealFields = fieldsOf(appealEvidence);

function fieldsOf(table: typeof evidence): EvidenceField[] {
  return Object.entries(table).flatMap(([name, taken]): EvidenceField[] => {
    if ('ignored' in taken) return [];
    return taken.kind === 'TEXT'
      ? [{ name, required: false, ...taken }]
      : [{ name, required: false, ...taken, fileTypes: evidenceFileTypes, maxBytes: maxEvidenceFileBytes }];
  });
}

/**
 * The funds, as Stripe has booked them. They are booked here in the currency of the dispute, also where the account
 * settles in another one: then only the dispute names the amount.
 */
function movementsOf(dispute: Stripe.Dispute, currency: string): DisputeMovement[] {
  return dispute.balance_transactions
    .filter(({ amount }) => amount !== 0)
    .map(({ id: reference, amount, currency: settled }) => ({
      reference,
      direction: amount < 0 ? 'WITHDRAWN' : 'REINSTATED',
      amount: exactly(settled === dispute.currency ? Math.abs(amount) : dispute.amount, currency),
      currency,
    }));
}

/** What Stripe has charged so far, in the currency of the account; a fee that it gave back is below zero there. */
function feeOf({ balance_transactions: bookings }: Stripe.Dispute): Fee | null {
  const [first] = bookings;
  if (first === undefined) return null;
  const currency = first.currency.toUpperCase();
  const charged = bookings.filter((booking) => booking.currency === first.currency);
  const amount = charged.reduce((sum, { fee }) => sum + fee, 0);
  return { amount: exactly(amount, currency), currency };
}

/** The money of a debit that came back; undefined if this charge has not failed after its money was booked. */
function returnOf(charge: Stripe.Charge, bookingId?: string): ProviderDispute | undefined {
  const { id, status, failure_balance_transaction: booking, failure_code: providerReason } = charge;
  const reference = bookingId ?? (typeof booking === 'string' ? booking : booking?.id);
  if (status !== 'failed' || reference === undefined) return undefined;
  const currency = charge.currency.toUpperCase();
  const amount = exactly(charge.amount, currency);
  const code = failureCodeOf(providerReason);
  return {
    reference: id,
    chargeReference: chargeReferenceOf({ charge: id, payment_intent: charge.payment_intent }),
    stage: 'CHARGEBACK',
    status: 'LOST',
    amount,
    currency,
    fee: null,
    reason: code === 'mandate_revoked' ? 'not_authorized' : 'returned',
    providerReason,
    respondBy: null,
    actions: [],
    evidenceFields: [],
    defenseReasons: [],
    movements: [{ reference, direction: 'WITHDRAWN', amount, currency }],
    ...(code === 'mandate_revoked' || code === 'account_closed' ? { methodFailure: code } : {}),
    ...modeOf(charge),
  };
}

function refundOf(refund: Stripe.Refund): ProviderRefund {
  const { id: reference, status, object } = refund;
  if (object !== 'refund' || typeof reference !== 'string') throw new Error('This is not a refund of Stripe.');
  const currency = refund.currency.toUpperCase();
  const key = keyOf(refund);
  return {
    reference,
    chargeReference: chargeReferenceOf(refund),
    amount: exactly(refund.amount, currency),
    currency,
    status: statusesOfRefunds[refundStatuses[status ?? ''] ?? 'pending'],
    ...(key !== undefined && { key }),
  };
}

const statusesOfRefunds = {
  pending: 'PROCESSING',
  succeeded: 'SUCCESS',
  failed: 'FAILED',
  cancelled: 'FAILED',
} as const;

/** A charge is known here by its payment intent. One that was made without is not Florin's. */
export function chargeReferenceOf({ payment_intent: intent, charge }: OfCharge): string {
  return idIn(intent) ?? idIn(charge) ?? '';
}

interface OfCharge {
  payment_intent?: Reference;
  charge?: Reference;
}

function exactly(amount: number, currency: string): number {
  const converted = amountOfStripe(amount, currency);
  if (converted === undefined) throw new Error(`Stripe reported an amount in ${currency} that cannot be expressed.`);
  return converted;
}
