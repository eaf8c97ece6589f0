import type { EventType } from '../../../core/event-types.ts';
import { type GenerateUuid, uuidTimeMs } from '../../../core/id.ts';
import type { Metadata } from '../../../core/metadata.ts';
import { columns, type NamedType } from '../../../platform/postgres/columns.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { relation, returning, same } from '../../../platform/postgres/relation.ts';
import { type Statement, statement, type Wake } from '../../../platform/postgres/statement.ts';
import {
  appendEventDrafts,
  eventBody,
  wakesDeliveries,
  wakesStreams,
} from '../../webhooks/events/append-events.cte.ts';
import { digestFor } from '../../webhooks/events/digests.ts';
import { bookTransfers } from '../ledger/book.cte.ts';
import type { NextAction } from '../providers/outcome.ts';
import { type PaymentRow, payment } from './record.ts';
import { eventOfStatus, isFinal, permittedTransitions, type TransactionStatus } from './states.ts';
import { countTotals, rollupsDue } from './totals/totals.cte.ts';

/**
 * A change of an existing payment: of its status, its description or metadata, or its refunded amounts. `row` is the
 * payment as it was when the change was decided. If the payment has another version when the statement runs, the
 * transition is not applied, and the caller decides again from the current row.
 */
export interface Transition {
  row: PaymentRow;
  to: TransactionStatus;
  atMs: number;
  /** Undefined leaves a field as it is. */
  description?: string | undefined;
  metadata?: Metadata | undefined;
  failureCode?: string | undefined;
  failureMessage?: string | undefined;
  providerReference?: string | undefined;
  /** The UUID of the payment method that the payment has kept. */
  methodId?: string | undefined;
  /** The payer's next step. A transition without one clears it. */
  nextAction?: NextAction | undefined;
  /** Added to `amount_refunded`; negative when a refund fails after it had succeeded. */
  refundedChange?: number;
  /** Added to `amount_refund_held`: positive when a refund is created, negative when it fails. */
  heldChange?: number;
  refundId?: string;
  /** The provider's fee, in the payment's currency. */
  fee?: number;
  /** The channel to book the transfer on, if it is not the payment's own. */
  channelId?: number;
  /** Whether the event of the new status is written (`eventOfStatus[to]`). */
  writesEvent?: boolean;
  /** Whether `nextAction` is new: writes `transaction.action_required` as well. */
  requiresAction?: boolean;
  /** An event about the refund, written in addition to one about the payment. */
  refundEvent?: RefundEvent;
  /** What changes of the authorization of a payment that is captured by requests (`isManual`). */
  authorization?: AuthorizationChange;
}

/** A change of the authorization of a payment, or of what was captured of it. */
export interface AuthorizationChange {
  /** The provider has authorized the whole amount. */
  begins?: { captureBefore: string | null };
  /** Added to `amount_capturable`: negative when a capture or a release reserves it. */
  capturableChange?: number;
  /** Nothing can be captured any more. */
  ends?: boolean;
  /** Added to `amount_captured`, and booked, with `captureId` as its source. */
  capturedChange?: number;
  captureId?: string;
  /** An event written in addition to one about the status. */
  event?:
    | { type: 'transaction.authorized' | 'transaction.authorization_expiring' }
    | { type: 'transaction.captured' | 'transaction.capture_failed'; capture: object };
}

/** Whether a payment is authorized first, and captured by requests. Such payments have statements of their own. */
export function isManual({ row }: Pick<Transition, 'row'>): boolean {
  return row.capture_method === 'MANUAL';
}

export interface RefundEvent {
  type: 'refund.succeeded' | 'refund.failed';
  /** The refund after the transition. */
  object: object;
}

/** The payment after a transition, exactly as the statement writes it: the source of answers and events. */
export function afterTransition(transition: Transition): PaymentRow {
  const { row, to, atMs } = transition;
  const time = new Date(atMs).toISOString();
  return {
    ...row,
    status: to,
    description: transition.description ?? row.description,
    metadata: transition.metadata ?? row.metadata,
    failure_code: transition.failureCode ?? row.failure_code,
    failure_message: transition.failureMessage ?? row.failure_message,
    provider_reference: transition.providerReference ?? row.provider_reference,
    next_action: transition.nextAction ?? null,
    method_id: transition.methodId ?? row.method_id,
    amount_refunded: row.amount_refunded + (transition.refundedChange ?? 0),
    amount_refund_held: row.amount_refund_held + (transition.heldChange ?? 0),
    ...authorizationAfter(transition),
    version: row.version + 1,
    updated_at: time > row.updated_at ? time : row.updated_at,
  };
}

type AuthorizationColumns = Pick<PaymentRow, 'amount_capturable' | 'amount_captured' | 'capture_before'>;

function authorizationAfter({ row, authorization }: Transition): AuthorizationColumns {
  const { begins, ends = false, capturableChange = 0, capturedChange = 0 } = authorization ?? {};
  if (begins !== undefined) {
    return { amount_capturable: row.amount, amount_captured: 0, capture_before: begins.captureBefore };
  }
  const { amount_capturable, amount_captured, capture_before } = row;
  if (amount_capturable === null) return { amount_capturable, amount_captured, capture_before };
  return {
    amount_capturable: ends ? 0 : amount_capturable + capturableChange,
    amount_captured: (amount_captured ?? 0) + capturedChange,
    capture_before,
  };
}

interface WrittenEvent {
  id: string;
  type: string;
  body: string;
  digest: Buffer | null;
}

/** A transition with the events that it writes: at most two. */
interface TransitionWithEvents {
  transition: Transition;
  event: WrittenEvent | undefined;
  furtherEvent: WrittenEvent | undefined;
}

const transitionColumns = columns<TransitionWithEvents>([
  ['tenant_id', 'bigint', ({ transition }) => transition.row.tenant_id],
  ['id', 'uuid', ({ transition }) => transition.row.id],
  ['version', 'int', ({ transition }) => transition.row.version],
  ['from_status', 'text', ({ transition }) => transition.row.status],
  ['to_status', 'text', ({ transition }) => transition.to],
  ['at_ms', 'float8', ({ transition }) => transition.atMs],
  ['description', 'text', ({ transition }) => transition.description],
  ['metadata', 'text', ({ transition }) => transition.metadata && JSON.stringify(transition.metadata)],
  ['failure_code', 'text', ({ transition }) => transition.failureCode],
  ['failure_message', 'text', ({ transition }) => transition.failureMessage],
  ['provider_reference', 'text', ({ transition }) => transition.providerReference],
  ['next_action', 'text', ({ transition }) => transition.nextAction && JSON.stringify(transition.nextAction)],
  ['method_id', 'uuid', ({ transition }) => transition.methodId],
  ['refunded', 'bigint', ({ transition }) => transition.refundedChange ?? 0],
  ['held', 'bigint', ({ transition }) => transition.heldChange ?? 0],
  ['refund_id', 'uuid', ({ transition }) => transition.refundId],
  ['fee', 'bigint', ({ transition }) => transition.fee],
  ['channel_id', 'bigint', ({ transition }) => transition.channelId],
  ['event_id', 'uuid', ({ event }) => event?.id],
  ['event_type', 'text', ({ event }) => event?.type],
  ['event_body', 'text', ({ event }) => event?.body],
  ['event_digest', 'bytea', ({ event }) => event?.digest],
  ['further_event_id', 'uuid', ({ furtherEvent }) => furtherEvent?.id],
  ['further_event_type', 'text', ({ furtherEvent }) => furtherEvent?.type],
  ['further_event_body', 'text', ({ furtherEvent }) => furtherEvent?.body],
  ['further_event_digest', 'bytea', ({ furtherEvent }) => furtherEvent?.digest],
]);

/** The amounts are sent as they are afterwards: the version guards that they were computed from the current ones. */
const authorizedColumns = columns<TransitionWithEvents>([
  ...transitionColumns.list,
  ['capturable', 'bigint', ({ transition }) => authorizationAfter(transition).amount_capturable],
  ['captured', 'bigint', ({ transition }) => authorizationAfter(transition).amount_captured],
  ['capture_before', 'text', ({ transition }) => authorizationAfter(transition).capture_before],
  ['captured_now', 'bigint', ({ transition }) => transition.authorization?.capturedChange ?? 0],
  ['capture_id', 'uuid', ({ transition }) => transition.authorization?.captureId],
]);

/**
 * `AUTOMATIC`: a statement for payments that are captured with their charge. `ANY`: also for others (`isManual`); kept
 * apart, because it writes more columns.
 */
export type TransitionVariant = 'AUTOMATIC' | 'ANY';

const columnsOf = (variant: TransitionVariant) => (variant === 'ANY' ? authorizedColumns : transitionColumns);

/** The statement that all of these transitions can be written with. */
export function variantFor(transitions: readonly Transition[]): TransitionVariant {
  return transitions.some(isManual) ? 'ANY' : 'AUTOMATIC';
}

/**
 * The query whose rows are the transitions, with `further` columns. Its parameters: `transitionParameters`, then those
 * columns.
 */
export function transitionInput(variant: TransitionVariant, further: readonly NamedType[] = []): string {
  return columnsOf(variant).relation(further);
}

/** The parameters of `transitionInput`, for a statement on `database`. The ids and digests of events are made here. */
export function transitionParameters(
  variant: TransitionVariant,
  transitions: readonly Transition[],
  generateUuid: GenerateUuid,
  database: Queryable,
): (string | Buffer)[] {
  return columnsOf(variant).parametersOf(
    transitions.map((transition) => {
      const [event, furtherEvent] = eventsOf(transition, generateUuid, database);
      return { transition, event, furtherEvent };
    }),
  );
}

function eventsOf(transition: Transition, generateUuid: GenerateUuid, database: Queryable): WrittenEvent[] {
  const { to, writesEvent, requiresAction, refundEvent, authorization } = transition;
  const types: EventType[] = writesEvent ? [eventOfStatus[to]] : [];
  if (requiresAction) types.push('transaction.action_required');
  const about = authorization?.event;
  const shown = types.length === 0 && about === undefined ? {} : payment.show(afterTransition(transition));
  const events: { type: EventType; object: object }[] = types.map((type) => ({ type, object: shown }));
  if (refundEvent !== undefined) events.push(refundEvent);
  if (about !== undefined) {
    const event = { type: about.type, object: 'capture' in about ? { ...shown, capture: about.capture } : shown };
    // A capture is announced before the success that follows from it, an authorization after the beginning.
    if (isFinal(to)) events.unshift(event);
    else events.push(event);
  }
  return events.map(({ type, object }) => {
    const id = generateUuid();
    const head = { id, type, createdMs: uuidTimeMs(id), livemode: transition.row.livemode };
    const body = eventBody(head, object);
    return { id, type, body, digest: digestFor(database, { tenantId: transition.row.tenant_id, body }) };
  });
}

const changedPayments = (variant: TransitionVariant) => `
    update transaction t
       set status = move.to_status,
           description = coalesce(move.description, t.description),
           metadata = coalesce(move.metadata::json, t.metadata),
           failure_code = coalesce(move.failure_code, t.failure_code),
           failure_message = coalesce(move.failure_message, t.failure_message),
           provider_reference = coalesce(move.provider_reference, t.provider_reference),
           next_action = move.next_action::json,
           method_id = coalesce(move.method_id, t.method_id),
           amount_refunded = t.amount_refunded + move.refunded,
           amount_refund_held = t.amount_refund_held + move.held,${variant === 'ANY' ? changedAmounts : ''}
           version = t.version + 1,
           updated_at = greatest(to_timestamp(move.at_ms / 1000), t.updated_at)
      from move
     where t.tenant_id = move.tenant_id and t.id = move.id
       and t.version = move.version and t.status = move.from_status
       and (t.status, move.to_status) in (${permittedTransitions})`;

const changedAmounts = `
           amount_capturable = move.capturable,
           amount_captured = move.captured,
           capture_before = move.capture_before::timestamptz,`;

const movedColumns = {
  ...same(['tenant_id', 'id', 'livemode', 'user_id', 'channel_id', 'currency', 'amount', 'created_at'], 't'),
  ...same(['from_status', 'to_status', 'refunded', 'refund_id', 'fee'], 'move'),
  booked_channel_id: 'coalesce(move.channel_id, t.channel_id)',
  at: 'to_timestamp(move.at_ms / 1000)',
  ...same(['event_id', 'event_type', 'event_body', 'event_digest'], 'move'),
  ...same(['further_event_id', 'further_event_type', 'further_event_body', 'further_event_digest'], 'move'),
};

/** Of payments that are captured by requests. */
const capturedColumns = {
  ...same(['capture_method', 'amount_captured'], 't'),
  ...same(['captured_now', 'capture_id'], 'move'),
};

/** A payment that changes its status leaves one and enters another. Of one that succeeded, what was captured counts. */
const statusChanges = (variant: TransitionVariant) =>
  relation(
    'change',
    {
      ...same(['tenant_id', 'livemode', 'channel_id', 'user_id']),
      status: 'side.status',
      ...same(['created_at', 'currency']),
      count: 'side.sign',
      amount: variant === 'ANY' ? `side.sign * ${countedAmount}` : 'side.sign * amount',
    },
    `from moved cross join lateral (values (from_status, -1), (to_status, 1)) as side (status, sign)
     where from_status <> to_status`,
  );

const countedAmount = `
  case when side.status in ('SUCCESS', 'REFUNDED') then coalesce(amount_captured, amount) else amount end`;

const transitionEvents = relation(
  'event_draft',
  {
    tenant_id: 'tenant_id',
    id: 'written.id',
    livemode: 'livemode',
    type: 'written.type',
    object_id: `case when written.type like 'refund.%' then 'ref_' || replace(refund_id::text, '-', '')
                else 'txn_' || replace(moved.id::text, '-', '') end`,
    created_at: 'at',
    body: 'written.body',
    digest: 'written.digest',
  },
  `from moved
     cross join lateral (values (event_id, event_type, event_body, event_digest),
                                (further_event_id, further_event_type, further_event_body, further_event_digest))
             as written (id, type, body, digest)
     where written.id is not null`,
);

/**
 * CTEs that apply the transitions of a CTE `move` (the columns of `transitionInput`): to the payments, their totals,
 * the ledger, and their events and deliveries. Guarded by version and by the transition table: `moved` has the changed
 * payments, with the further columns. Nothing is written for any other payment.
 */
export function applyTransitions<const Further extends string = never>(
  variant: TransitionVariant,
  further: readonly (readonly [name: Further, type: string])[] = [],
) {
  const moved = returning('moved', changedPayments(variant), {
    ...movedColumns,
    ...(variant === 'ANY' && capturedColumns),
    ...same(
      further.map(([name]) => name),
      'move',
    ),
  });
  const changes = statusChanges(variant);
  const ctes = `
  ${moved.cte},
  ${changes.cte},
  ${countTotals(changes)},
  ${transitionEvents.cte},
  ${appendEventDrafts(transitionEvents)},
  ${bookTransfers(moved, { capturedApart: variant === 'ANY' })}`;
  return { moved, ctes };
}

/**
 * A payment whose transition was applied. The number of deliveries that the statement enqueued is the same in every
 * row.
 */
export interface TransitionedRow {
  id: string;
  deliveries: number;
  [changed: string]: unknown;
}

/** The columns of `TransitionedRow`, after `applyTransitions`. */
export const transitionedColumns = 'id, (select count(*) from enqueued) as deliveries';

/** The topics that a statement makes due which applies transitions. */
export const wakesByTransition: readonly Wake<TransitionedRow>[] = [
  { topic: rollupsDue, when: (rows) => rows.length > 0 },
  wakesDeliveries,
  wakesStreams,
];

const transitionMany = (variant: TransitionVariant, name: string) =>
  statement<TransitionedRow>(
    name,
    `with move as (
     ${transitionInput(variant)}
   ),
   ${applyTransitions(variant).ctes}
   select ${transitionedColumns} from moved`,
    { wakes: wakesByTransition },
  );

/** Applies transitions. Values: `transitionParameters`. */
export const transitionsBy: Record<TransitionVariant, Statement<TransitionedRow>> = {
  AUTOMATIC: transitionMany('AUTOMATIC', 'transactions.transition_many'),
  ANY: transitionMany('ANY', 'transactions.transition_authorized'),
};
