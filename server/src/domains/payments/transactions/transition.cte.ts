import type { EventType } from '../../../core/event-types.ts';
import { type GenerateUuid, uuidTimeMs } from '../../../core/id.ts';
import type { Metadata } from '../../../core/metadata.ts';
import { columns, type NamedType } from '../../../platform/postgres/columns.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { relation, returning, same } from '../../../platform/postgres/relation.ts';
import { statement, type Wake } from '../../../platform/postgres/statement.ts';
import {
  appendEventDrafts,
  eventBody,
  wakesDeliveries,
  wakesStreams,
} from '../../webhooks/events/append-events.cte.ts';
import { digestFor } from '../../webhooks/events/digests.ts';
import { bookTransfers } from '../ledger/book.cte.ts';
import type { NextAction } from '../providers/provider.ts';
import { type PaymentRow, payment } from './record.ts';
import { eventOfStatus, permittedTransitions, type TransactionStatus } from './states.ts';
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
    version: row.version + 1,
    updated_at: time > row.updated_at ? time : row.updated_at,
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

/**
 * The query whose rows are the transitions, with `further` columns. Its parameters: `transitionParameters`, then those
 * columns.
 */
export function transitionInput(further: readonly NamedType[] = []): string {
  return transitionColumns.relation(further);
}

/** The parameters of `transitionInput`, for a statement on `database`. The ids and digests of events are made here. */
export function transitionParameters(
  transitions: readonly Transition[],
  generateUuid: GenerateUuid,
  database: Queryable,
): (string | Buffer)[] {
  return transitionColumns.parametersOf(
    transitions.map((transition) => {
      const [event, furtherEvent] = eventsOf(transition, generateUuid, database);
      return { transition, event, furtherEvent };
    }),
  );
}

function eventsOf(transition: Transition, generateUuid: GenerateUuid, database: Queryable): WrittenEvent[] {
  const { to, writesEvent, requiresAction, refundEvent } = transition;
  const types: EventType[] = writesEvent ? [eventOfStatus[to]] : [];
  if (requiresAction) types.push('transaction.action_required');
  const shown = types.length === 0 ? {} : payment.show(afterTransition(transition));
  const events: { type: EventType; object: object }[] = types.map((type) => ({ type, object: shown }));
  if (refundEvent !== undefined) events.push(refundEvent);
  return events.map(({ type, object }) => {
    const id = generateUuid();
    const head = { id, type, createdMs: uuidTimeMs(id), livemode: transition.row.livemode };
    const body = eventBody(head, object);
    return { id, type, body, digest: digestFor(database, { tenantId: transition.row.tenant_id, body }) };
  });
}

const changedPayments = `
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
           amount_refund_held = t.amount_refund_held + move.held,
           version = t.version + 1,
           updated_at = greatest(to_timestamp(move.at_ms / 1000), t.updated_at)
      from move
     where t.tenant_id = move.tenant_id and t.id = move.id
       and t.version = move.version and t.status = move.from_status
       and (t.status, move.to_status) in (${permittedTransitions})`;

const movedColumns = {
  ...same(['tenant_id', 'id', 'livemode', 'user_id', 'channel_id', 'currency', 'amount', 'created_at'], 't'),
  ...same(['from_status', 'to_status', 'refunded', 'refund_id', 'fee'], 'move'),
  booked_channel_id: 'coalesce(move.channel_id, t.channel_id)',
  at: 'to_timestamp(move.at_ms / 1000)',
  ...same(['event_id', 'event_type', 'event_body', 'event_digest'], 'move'),
  ...same(['further_event_id', 'further_event_type', 'further_event_body', 'further_event_digest'], 'move'),
};

/** A payment that changes its status leaves one and enters another. */
const statusChanges = relation(
  'change',
  {
    ...same(['tenant_id', 'livemode', 'channel_id', 'user_id']),
    status: 'side.status',
    ...same(['created_at', 'currency']),
    count: 'side.sign',
    amount: 'side.sign * amount',
  },
  `from moved cross join lateral (values (from_status, -1), (to_status, 1)) as side (status, sign)
     where from_status <> to_status`,
);

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
  further: readonly (readonly [name: Further, type: string])[] = [],
) {
  const moved = returning('moved', changedPayments, {
    ...movedColumns,
    ...same(
      further.map(([name]) => name),
      'move',
    ),
  });
  const ctes = `
  ${moved.cte},
  ${statusChanges.cte},
  ${countTotals(statusChanges)},
  ${transitionEvents.cte},
  ${appendEventDrafts(transitionEvents)},
  ${bookTransfers(moved)}`;
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

/** Applies transitions. Values: `transitionParameters`. */
export const transitionMany = statement<TransitionedRow>(
  'transactions.transition_many',
  `with move as (
     ${transitionInput()}
   ),
   ${applyTransitions().ctes}
   select ${transitionedColumns} from moved`,
  { wakes: wakesByTransition },
);
