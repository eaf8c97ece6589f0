import { dayMs, isoTime } from '../../../core/clock.ts';
import type { EventType } from '../../../core/event-types.ts';
import type { GenerateUuid } from '../../../core/id.ts';
import type { ProviderName } from '../providers/directory.ts';
import type { ProviderDispute } from '../providers/dispute.ts';
import { deadlineAfter } from './deadlines.ts';
import type { DisputeRow } from './record.ts';
import type { MovementKind, MovementRow } from './statements.ts';
import { isDecided, standingAfter } from './states.ts';

/** The payment that a dispute is about, and the channel that took its money. */
export interface DisputedCharge {
  tenant_id: number;
  /** The payment's UUID. */
  id: string;
  livemode: boolean;
  currency: string;
  channelId: number;
  provider: ProviderName;
}

export interface DisputeChange {
  after: DisputeRow;
  /** New ones. */
  movements: MovementRow[];
  /** In their order. */
  events: EventType[];
}

/** What a report changes of a dispute, or what it makes of one that was not known (`before` is null). */
export function changeOf(
  before: DisputeRow | null,
  known: readonly MovementRow[],
  reported: ProviderDispute,
  charge: DisputedCharge,
  { atMs, readMs, generateUuid }: { atMs: number; readMs: number; generateUuid: GenerateUuid },
): DisputeChange {
  const base = before ?? newDispute(reported, charge, generateUuid(), atMs);
  const movements = newMovements(base, known, reported, charge, { atMs, generateUuid });
  const standing = before === null ? reported : standingAfter(before, reported);
  const { stage, status } = standing;
  const isCurrent = stage === reported.stage && status === reported.status;
  const isNewStage = before !== null && stage !== before.stage;
  const respondBy = isCurrent ? normalTime(reported.respondBy) : base.respond_by;
  const isPostponed = respondBy !== null && base.respond_by !== null && respondBy > base.respond_by;
  const told: DisputeRow = {
    ...base,
    stage,
    status,
    amount: reported.amount,
    currency: reported.currency,
    fee: reported.fee?.amount ?? base.fee,
    fee_currency: reported.fee?.currency ?? base.fee_currency,
    reason: reported.reason,
    provider_reason: reported.providerReason,
    respond_by: respondBy,
    ...(isCurrent && {
      actions: [...reported.actions],
      evidence_fields: reported.evidenceFields.map(({ fileTypes, ...field }) => ({
        ...field,
        ...(fileTypes && { fileTypes: [...fileTypes] }),
      })),
      defense_reasons: [...reported.defenseReasons],
    }),
    submitted_at: status === 'SUBMITTED' && base.status !== 'SUBMITTED' ? isoTime(atMs) : base.submitted_at,
    closed_at: closedAt(base, status, atMs),
    amount_withdrawn: base.amount_withdrawn + fundsIn(movements.filter(({ booked }) => booked)),
    ...(isNewStage && { evidence: {}, failure_code: null }),
    ...((isNewStage || isPostponed) && { days_told: null }),
    read_at: isoTime(readMs),
  };
  const after = { ...told, due_at: deadlineAfter(told, atMs) };
  return { after, movements, events: eventsOf(before, after, movements) };
}

function newDispute(reported: ProviderDispute, charge: DisputedCharge, id: string, atMs: number): DisputeRow {
  const time = isoTime(atMs);
  return {
    id,
    tenant_id: charge.tenant_id,
    livemode: charge.livemode,
    transaction_id: charge.id,
    channel_id: charge.channelId,
    provider: charge.provider,
    provider_reference: reported.reference,
    stage: reported.stage,
    status: reported.status === 'SUBMITTED' ? 'OPEN' : reported.status,
    amount: reported.amount,
    currency: reported.currency,
    amount_withdrawn: 0,
    fee: null,
    fee_currency: null,
    reason: reported.reason,
    provider_reason: reported.providerReason,
    respond_by: null,
    submitted_at: null,
    closed_at: isDecided(reported.status) ? time : null,
    actions: [],
    evidence_fields: [],
    defense_reasons: [],
    evidence: {},
    failure_code: null,
    amount_unpaid: 0,
    days_told: null,
    due_at: null,
    read_at: time,
    read_due_at: isoTime(atMs + dayMs),
    version: 0,
    created_at: time,
    updated_at: time,
  };
}

/** Movements are known by their reference. A fee is told as what it is in all: the difference moves. */
function newMovements(
  base: DisputeRow,
  known: readonly MovementRow[],
  reported: ProviderDispute,
  { currency }: DisputedCharge,
  { atMs, generateUuid }: { atMs: number; generateUuid: GenerateUuid },
): MovementRow[] {
  const { tenant_id, id: dispute_id, fee, fee_currency } = base;
  const references = new Set(known.map(({ reference }) => reference));
  const movement: MakeMovement = (reference, kind, amount, its, booked) => ({
    ...{ tenant_id, id: generateUuid(), dispute_id, reference, kind, amount, currency: its, booked },
    created_at: isoTime(atMs),
  });
  const funds = reported.movements
    .filter(({ reference }) => !references.has(reference))
    .map((one) => movement(one.reference, one.direction, one.amount, one.currency, one.currency === currency));
  funds.push(...reversalOfFound(base, funds, currency, movement));
  const feeNow = reported.fee;
  const change = (feeNow?.amount ?? 0) - (feeNow?.currency === fee_currency ? (fee ?? 0) : 0);
  if (feeNow === null || change === 0) return funds;
  const kind = change > 0 ? 'FEE_CHARGED' : 'FEE_RETURNED';
  const feeReference = `fee ${known.length + funds.length + 1}`;
  return [...funds, movement(feeReference, kind, Math.abs(change), feeNow.currency, true)];
}

type MakeMovement = (
  reference: string,
  kind: MovementKind,
  amount: number,
  its: string,
  booked: boolean,
) => MovementRow;

/** Reinstating in another currency reverses what a person has found to be withdrawn in the payment's. */
function reversalOfFound(
  { amount_withdrawn }: DisputeRow,
  funds: readonly MovementRow[],
  currency: string,
  movement: MakeMovement,
): MovementRow[] {
  const reinstated = funds.find(({ kind, booked }) => kind === 'REINSTATED' && !booked);
  if (reinstated === undefined || amount_withdrawn <= 0) return [];
  return [movement(`${reinstated.reference} found`, 'REINSTATED', amount_withdrawn, currency, true)];
}

/** What movements have withdrawn and not reinstated. */
export function fundsIn(movements: readonly Pick<MovementRow, 'kind' | 'amount'>[]): number {
  const signs = { WITHDRAWN: 1, REINSTATED: -1, FEE_CHARGED: 0, FEE_RETURNED: 0 };
  return movements.reduce((sum, { kind, amount }) => sum + signs[kind] * amount, 0);
}

function closedAt({ status: former, closed_at }: DisputeRow, status: DisputeRow['status'], atMs: number) {
  if (!isDecided(status)) return null;
  return status === former && closed_at !== null ? closed_at : isoTime(atMs);
}

const normalTime = (time: string | null) => (time === null ? null : isoTime(Date.parse(time)));

/** What tells receivers of a change. A change of the status to a decision has its own event. */
export function eventsOf(
  before: DisputeRow | null,
  after: DisputeRow,
  movements: readonly Pick<MovementRow, 'kind'>[] = [],
): EventType[] {
  const moved = (kind: MovementKind) => movements.some((movement) => movement.kind === kind);
  const isNewStatus = before === null ? isDecided(after.status) : after.status !== before.status;
  const decision = isNewStatus ? eventOfDecision[after.status] : undefined;
  return [
    ...(before === null ? (['dispute.created'] as const) : []),
    ...(moved('WITHDRAWN') ? (['dispute.funds_withdrawn'] as const) : []),
    ...(moved('REINSTATED') ? (['dispute.funds_reinstated'] as const) : []),
    ...(decision === undefined ? [] : [decision]),
    ...(before !== null && decision === undefined && isUpdated(before, after) ? (['dispute.updated'] as const) : []),
  ];
}

const eventOfDecision: Partial<Record<DisputeRow['status'], EventType>> = {
  WON: 'dispute.won',
  LOST: 'dispute.lost',
  CLOSED: 'dispute.closed',
};

const isUpdated = (before: DisputeRow, after: DisputeRow) =>
  (['status', 'stage', 'amount', 'currency', 'respond_by'] as const).some((column) => before[column] !== after[column]);

/** Whether anything is written. */
export function isChanged(before: DisputeRow, after: DisputeRow): boolean {
  const { read_at: _, read_due_at: __, ...former } = before;
  const { read_at: ___, read_due_at: ____, ...latter } = after;
  return JSON.stringify(former) !== JSON.stringify(latter);
}
