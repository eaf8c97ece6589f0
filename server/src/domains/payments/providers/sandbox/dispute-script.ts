import { dayMs, isoTime } from '../../../../core/clock.ts';
import type { DisputeMovement, EvidenceField, ProviderDispute } from '../dispute.ts';
import type { DisputedRecord } from './dispute-statements.ts';
import { referenceOf } from './messages.ts';

/** How long a dispute can be answered. */
const answerableForMs = 7 * dayMs;
/** What the sandbox charges for a dispute, in minor units. */
const disputeFee = 1500;

/** In the text of the evidence, for the word `dispute`. */
export const winningEvidence = 'winning_evidence';
export const losingEvidence = 'losing_evidence';

export const evidenceFields: readonly EvidenceField[] = [
  { name: 'explanation', kind: 'TEXT', required: true, maxCharacters: 20_000 },
  { name: 'customer_email', kind: 'TEXT', required: false, maxCharacters: 255 },
  {
    name: 'receipt',
    kind: 'FILE',
    required: false,
    fileTypes: ['application/pdf', 'image/png', 'image/jpeg'],
    maxBytes: 4_000_000,
    maxPages: 50,
  },
];

/** The sandbox's id of the dispute about an operation. */
export const disputeReferenceOf = (key: string) => `sbx_dispute_${key}`;

export function keyOfDispute(reference: string): string | undefined {
  return reference.startsWith('sbx_dispute_') ? reference.slice('sbx_dispute_'.length) : undefined;
}

type Standing = Pick<ProviderDispute, 'stage' | 'status'> & {
  /** The directions of its movements so far, each of the whole amount. */
  moved: readonly DisputeMovement['direction'][];
};

/** A dispute as it is at a time: its word and the answer say what becomes of it, each after `delayMs`. */
export function disputeAt(record: DisputedRecord, nowMs: number, delayMs: number): ProviderDispute {
  const { key, charge_key, behaviour, amount, currency, began_ms } = record;
  const reference = disputeReferenceOf(key);
  const isReturned = behaviour === 'debit:returned' || behaviour === 'capture:fail-later';
  const { stage, status, moved } = isReturned ? returned : standingAt(record, nowMs, delayMs);
  const isOpen = status === 'OPEN';
  const hasFee = !isReturned && stage !== 'INQUIRY';
  return {
    reference,
    chargeReference: referenceOf(charge_key),
    stage,
    status,
    amount,
    currency,
    fee: hasFee ? { amount: disputeFee, currency } : null,
    reason: isReturned ? 'returned' : 'fraudulent',
    providerReason: isReturned ? null : 'fraud',
    respondBy: isReturned ? null : isoTime(began_ms + answerableForMs),
    actions: isOpen ? (stage === 'INQUIRY' ? ['SUBMIT'] : ['SUBMIT', 'ACCEPT']) : [],
    evidenceFields: isReturned ? [] : evidenceFields,
    defenseReasons: [],
    movements: moved.map((direction, i) => ({ reference: `${reference}-${i + 1}`, direction, amount, currency })),
  };
}

const returned: Standing = { stage: 'CHARGEBACK', status: 'LOST', moved: ['WITHDRAWN'] };

function standingAt(
  { behaviour, began_ms, answer, answered_ms }: DisputedRecord,
  nowMs: number,
  delayMs: number,
): Standing {
  const passed = Math.floor((nowMs - began_ms) / delayMs);
  const isDecided = answered_ms !== null && nowMs >= answered_ms + delayMs;
  const open: Standing = { stage: 'CHARGEBACK', status: 'OPEN', moved: ['WITHDRAWN'] };
  const won: Standing = { ...open, status: 'WON', moved: ['WITHDRAWN', 'REINSTATED'] };
  const lost: Standing = { ...open, status: 'LOST' };
  switch (behaviour) {
    case 'dispute:won':
      if (passed >= 1) return won;
      break;
    case 'dispute:lost':
      if (passed >= 1) return lost;
      break;
    case 'dispute:twice':
      if (passed >= 2) {
        return { stage: 'PRE_ARBITRATION', status: 'OPEN', moved: ['WITHDRAWN', 'REINSTATED', 'WITHDRAWN'] };
      }
      if (passed >= 1) return won;
      break;
    case 'dispute:inquiry': {
      const inquiry: Standing = { stage: 'INQUIRY', status: 'OPEN', moved: [] };
      if (answer === null) return inquiry;
      return { ...inquiry, status: isDecided ? 'CLOSED' : 'SUBMITTED' };
    }
  }
  if (answer === null) return open;
  if (!isDecided || answer === 'SUBMITTED')
    return { ...open, status: answer === 'ACCEPTED' ? 'ACCEPTED' : 'SUBMITTED' };
  return answer === 'WINNING' ? won : lost;
}
