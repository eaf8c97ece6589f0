import type { Chargeback, MollieClient, Page, Refund } from '@mollie/api-client';
import { minuteMs } from '../../../../core/clock.ts';
import type {
  DisputePage,
  DisputeReading,
  DisputeReference,
  ProviderDispute,
  ProviderRefund,
  RefundReading,
  RefundReference,
} from '../dispute.ts';
import { moneyOf } from './amounts.ts';
import { MollieApiError, textOf } from './client.ts';
import { pageSize } from './find.ts';
import { isMollieId, keyIn, livemodeIn } from './outcomes.ts';
import { bankReasons, chargebackReasons, refundStatuses } from './vocabulary.ts';

/**
 * Chargebacks at Mollie (https://docs.mollie.com/reference/get-chargeback), and refunds made elsewhere. A chargeback
 * takes the money at once and cannot be answered; a later reversal brings it back. Mollie names neither its mode nor
 * its fee: only settlements tell that.
 */

/** Reads a chargeback, by its payment. */
export async function readChargeback(
  mollie: MollieClient,
  { dispute: id, charge: paymentId }: DisputeReference,
): Promise<DisputeReading> {
  if (paymentId === null) throw new Error('Mollie finds a chargeback only by its payment.');
  const chargeback = await unlessMissing(mollie.paymentChargebacks.get(id, { paymentId }));
  return chargeback === undefined ? { kind: 'absent' } : { kind: 'read', dispute: disputeOf(chargeback) };
}

export async function readRefund(
  mollie: MollieClient,
  { refund: id, charge: paymentId }: RefundReference,
): Promise<RefundReading> {
  const refund = await unlessMissing(mollie.paymentRefunds.get(id, { paymentId }));
  return refund === undefined ? { kind: 'absent' } : { kind: 'read', refund: refundOf(refund) };
}

async function unlessMissing<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof MollieApiError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * What began since a time: chargebacks, then refunds. Mollie lists both newest first, and has neither a filter by time
 * nor a list of what was reversed. The page of the newest 250 chargebacks, which is read anyway, shows which of them
 * were reversed since; older ones are read one by one.
 */
export function listSince(mollie: MollieClient, sinceMs: number, cursor: string | null): Promise<DisputePage> {
  return readPage(cursor, sinceMs, {
    chargebacks: (paging) => mollie.chargebacks.page(paging),
    refunds: (paging) => mollie.refunds.page(paging),
  });
}

/** What concerns the money of one payment. */
export function listOf(mollie: MollieClient, paymentId: string, cursor: string | null): Promise<DisputePage> {
  return readPage(cursor, 0, {
    chargebacks: (paging) => mollie.paymentChargebacks.page({ paymentId, ...paging }),
    refunds: (paging) => mollie.paymentRefunds.page({ paymentId, ...paging }),
  });
}

/** Tolerates a difference between Mollie's clock and ours. */
const clockSkewMs = 10 * minuteMs;

interface Paging {
  limit: number;
  from?: string;
}

interface Sections {
  chargebacks: (paging: Paging) => Promise<Page<Chargeback>>;
  refunds: (paging: Paging) => Promise<Page<Refund>>;
}

/** Reads the page at a cursor, which names the section, and the first item of the page in that section. */
async function readPage(cursor: string | null, sinceMs: number, read: Sections): Promise<DisputePage> {
  const [section = '', from = ''] = (cursor ?? 'chargebacks').split(' ');
  const paging = { limit: pageSize, ...(from !== '' && { from }) };
  if (section === 'chargebacks') {
    const page = await read.chargebacks(paging);
    const disputes = page.filter((row) => isMadeSince(row, sinceMs) || isReversedSince(row, sinceMs)).map(disputeOf);
    return { kind: 'page', disputes, refunds: [], next: nextOf(page, sinceMs, section) ?? 'refunds' };
  }
  if (section !== 'refunds') throw new Error('This cursor is not one of Mollie.');
  const page = await read.refunds(paging);
  const refunds = page.filter((row) => isMadeSince(row, sinceMs)).map(refundOf);
  return { kind: 'page', disputes: [], refunds, next: nextOf(page, sinceMs, section) };
}

const isSince = (time: string, sinceMs: number) => Date.parse(time) >= sinceMs - clockSkewMs;
const isMadeSince = ({ createdAt }: { createdAt: string }, sinceMs: number) => isSince(createdAt, sinceMs);
const isReversedSince = ({ reversedAt }: Chargeback, sinceMs: number) =>
  typeof reversedAt === 'string' && isSince(reversedAt, sinceMs);

function nextOf(page: Page<{ createdAt: string }>, sinceMs: number, section: string): string | null {
  const isWithin = page.length > 0 && page.every((row) => isMadeSince(row, sinceMs));
  return isWithin && page.nextPageCursor !== undefined ? `${section} ${page.nextPageCursor}` : null;
}

function disputeOf({ id, paymentId, amount, reason, reversedAt }: Chargeback): ProviderDispute {
  if (!isMollieId(id, 'chb_')) throw new Error('Mollie answered with a chargeback that has no valid id.');
  const money = wholeMoneyOf(amount);
  const code = textOf(reason?.code) ?? null;
  const failureCode = code !== null && Object.hasOwn(bankReasons, code) ? bankReasons[code] : undefined;
  const isReversed = typeof reversedAt === 'string';
  return {
    reference: id,
    chargeReference: paymentOf(paymentId),
    stage: 'CHARGEBACK',
    status: isReversed ? 'WON' : 'LOST',
    ...money,
    fee: null,
    reason: (code !== null && Object.hasOwn(chargebackReasons, code) && chargebackReasons[code]) || 'other',
    providerReason: code,
    respondBy: null,
    actions: [],
    evidenceFields: [],
    defenseReasons: [],
    movements: [
      { reference: id, direction: 'WITHDRAWN', ...money },
      ...(isReversed ? [{ reference: `${id}-${reversedAt}`, direction: 'REINSTATED' as const, ...money }] : []),
    ],
    ...(failureCode === 'mandate_revoked' || failureCode === 'account_closed' ? { methodFailure: failureCode } : {}),
  };
}

function refundOf(refund: Refund): ProviderRefund {
  const { id, paymentId, amount, status, metadata } = refund;
  if (!isMollieId(id, 're_')) throw new Error('Mollie answered with a refund that has no valid id.');
  const key = keyIn(metadata);
  const livemode = livemodeIn(refund);
  return {
    reference: id,
    chargeReference: paymentOf(paymentId),
    ...wholeMoneyOf(amount),
    status: statusesOfRefunds[(refundStatuses as Readonly<Record<string, Meaning>>)[status] ?? 'pending'],
    ...(key !== undefined && { key }),
    ...(livemode !== undefined && { livemode }),
  };
}

type Meaning = (typeof refundStatuses)[keyof typeof refundStatuses];
const statusesOfRefunds = { pending: 'PROCESSING', succeeded: 'SUCCESS', failed: 'FAILED' } as const;

function paymentOf(id: unknown): string {
  if (!isMollieId(id, 'tr_')) throw new Error('Mollie answered with an object of no valid payment.');
  return id;
}

function wholeMoneyOf(reported: unknown): { amount: number; currency: string } {
  const { amount, currency } = moneyOf(reported);
  if (typeof amount !== 'number') throw new Error(`Mollie reported an amount in ${currency} that cannot be expressed.`);
  return { amount, currency };
}
