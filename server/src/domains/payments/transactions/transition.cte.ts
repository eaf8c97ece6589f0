import { type DrawUuid, uuidTimeMs } from '../../../core/id.ts';
import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import { appendEventsCte, eventBody } from '../../webhooks/events/append-events.cte.ts';
import { bookTransfersCte } from '../ledger/book.cte.ts';
import { recordJson, recordOf } from './record.ts';
import type { TransactionRow } from './statements.ts';
import { eventOfStatus, permittedMoves, type TransactionStatus } from './states.ts';
import { countTotalsCte } from './totals.cte.ts';

/**
 * A change of a payment that stands already: of its status, its words, or what of it is given back. It names the version
 * that it starts from; a payment that has changed since stays as it is, and the move is made anew from what it is now.
 */
export interface Transition {
  row: TransactionRow;
  to: TransactionStatus;
  atMs: number;
  /** Undefined leaves a field as it is. */
  description?: string | undefined;
  metadataJson?: string | undefined;
  failureCode?: string | undefined;
  failureMessage?: string | undefined;
  providerReference?: string | undefined;
  /** What the payer has to do; any move without one clears it. */
  nextAction?: Record<string, unknown> | undefined;
  /**
   * What a refund that succeeded gave back (negative: one that failed after it had succeeded), and what one that begins
   * holds (negative: one that failed frees).
   */
  refunded?: number;
  held?: number;
  refundId?: string;
  /** What the provider kept, in the payment's currency. */
  fee?: number;
  /** Through which channel the money moved, where it is not the payment's own. */
  channelId?: number;
  /** Whether it is told: `eventOfStatus[to]`. */
  news?: boolean;
  /** An event about the refund, instead of one about the payment. */
  refundEvent?: RefundEvent;
}

export interface RefundEvent {
  type: 'refund.failed';
  /** The refund as it is after the move, as JSON. */
  objectJson: string;
}

/** The payment as it is after a move: what is answered and told, letter by letter what the statement writes. */
export function afterTransition(move: Transition): TransactionRow {
  const { row, to, atMs } = move;
  const time = new Date(atMs).toISOString();
  return {
    ...row,
    status: to,
    description: move.description ?? row.description,
    metadata: move.metadataJson === undefined ? row.metadata : JSON.parse(move.metadataJson),
    failure_code: move.failureCode ?? row.failure_code,
    failure_message: move.failureMessage ?? row.failure_message,
    provider_reference: move.providerReference ?? row.provider_reference,
    next_action: move.nextAction ?? null,
    amount_refunded: row.amount_refunded + (move.refunded ?? 0),
    amount_refund_held: row.amount_refund_held + (move.held ?? 0),
    version: row.version + 1,
    updated_at: time > row.updated_at ? time : row.updated_at,
  };
}

/** Columns of `move`, in order: name and type. */
const columns = [
  ['tenant_id', 'bigint'],
  ['id', 'uuid'],
  ['version', 'int'],
  ['from_status', 'text'],
  ['to_status', 'text'],
  ['at_ms', 'float8'],
  ['description', 'text'],
  ['metadata', 'text'],
  ['failure_code', 'text'],
  ['failure_message', 'text'],
  ['provider_reference', 'text'],
  ['next_action', 'text'],
  ['refunded', 'bigint'],
  ['held', 'bigint'],
  ['refund_id', 'uuid'],
  ['fee', 'bigint'],
  ['channel_id', 'bigint'],
  ['event_id', 'uuid'],
  ['event_type', 'text'],
  ['event_body', 'text'],
] as const;

/**
 * Follows payments in the statement that moves them, so that neither can happen without the other. An extension point:
 * billing has invoices follow their payments.
 */
export interface TransitionFollower {
  /** CTEs that read `moved (tenant_id, id, invoice_id, from_status, to_status, failure_code, failure_message, at)`. */
  cte: string;
}

/** A further column of the moves, for a statement that makes more than moves: its name and its type. */
export type FurtherColumn = readonly [name: string, type: string];

/** The moves as a table, from the values $1 to $20 (`valuesOfMoves`) and one more for each further column. */
export function transitionInput(further: readonly FurtherColumn[] = []): string {
  const all = [...columns, ...further];
  return `select * from unnest(${all.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')})
       as row (${all.map(([name]) => name).join(', ')})`;
}

/**
 * CTEs that make moves from a CTE `move` (the columns of `moveInput`): the payments, the totals, the ledger, what their
 * invoices are told, the events and their deliveries, in one statement with whatever it follows from. Further columns come
 * out in `moved` again. Guarded by version and by the table of transitions; a payment that is not in `moved` afterwards was left as it is, with all that would follow.
 */
export function transitionCte(
  followers: readonly TransitionFollower[],
  further: readonly FurtherColumn[] = [],
): string {
  return `
  moved as (
    update transaction t
       set status = move.to_status,
           description = coalesce(move.description, t.description),
           metadata = coalesce(move.metadata::json, t.metadata),
           failure_code = coalesce(move.failure_code, t.failure_code),
           failure_message = coalesce(move.failure_message, t.failure_message),
           provider_reference = coalesce(move.provider_reference, t.provider_reference),
           next_action = move.next_action::json,
           amount_refunded = t.amount_refunded + move.refunded,
           amount_refund_held = t.amount_refund_held + move.held,
           version = t.version + 1,
           updated_at = greatest(to_timestamp(move.at_ms / 1000), t.updated_at)
      from move
     where t.tenant_id = move.tenant_id and t.id = move.id
       and t.version = move.version and t.status = move.from_status
       and (t.status, move.to_status) in (${permittedMoves})
    returning t.tenant_id, t.id, t.user_id, t.channel_id, t.currency, t.amount, t.created_at, t.invoice_id,
              t.failure_code, t.failure_message, move.from_status,
              move.to_status, move.refunded, move.refund_id, move.fee,
              coalesce(move.channel_id, t.channel_id) as booked_channel_id, to_timestamp(move.at_ms / 1000) as at,
              move.event_id, move.event_type, move.event_body${further.map(([name]) => `, move.${name}`).join('')}
  ),
  change as (
    select tenant_id, channel_id, user_id, side.status, created_at, currency, side.sign as count,
           side.sign * amount as amount
      from moved cross join lateral (values (from_status, -1), (to_status, 1)) as side (status, sign)
     where from_status <> to_status
  ),
  ${countTotalsCte},
  news as (
    select tenant_id, event_id as id, event_type as type,
           case when event_type like 'refund.%' then 'ref_' || replace(refund_id::text, '-', '')
                else 'txn_' || replace(id::text, '-', '') end as object_id,
           at as created_at, event_body as body
      from moved
     where event_id is not null
  ),
  ${appendEventsCte},
  ${bookTransfersCte}${followers
    .map(
      ({ cte }) => `,
  ${cte}`,
    )
    .join('')}`;
}

/** The values of `moveInput`. Each move with an event gets the event's id here. */
export function valuesOfTransitions(moves: readonly Transition[], drawUuid: DrawUuid): (string | Buffer)[] {
  const eventIds = moves.map((move) => (move.news || move.refundEvent ? drawUuid() : null));
  const column = <Value extends string | number | null | undefined>(value: (move: Transition) => Value) =>
    moves.map((move) => value(move) ?? null);
  return [
    plainArray(column((move) => move.row.tenant_id)),
    plainArray(column((move) => move.row.id)),
    plainArray(column((move) => move.row.version)),
    textArray(column((move) => move.row.status)),
    textArray(column((move) => move.to)),
    plainArray(column((move) => move.atMs)),
    textArray(column((move) => move.description)),
    textArray(column((move) => move.metadataJson)),
    textArray(column((move) => move.failureCode)),
    textArray(column((move) => move.failureMessage)),
    textArray(column((move) => move.providerReference)),
    textArray(column((move) => move.nextAction && JSON.stringify(move.nextAction))),
    plainArray(column((move) => move.refunded ?? 0)),
    plainArray(column((move) => move.held ?? 0)),
    plainArray(column((move) => move.refundId)),
    plainArray(column((move) => move.fee)),
    plainArray(column((move) => move.channelId)),
    plainArray(eventIds),
    textArray(column((move) => move.refundEvent?.type ?? (move.news ? eventOfStatus[move.to] : null))),
    textArray(moves.map((move, i) => bodyOf(move, eventIds[i] ?? null))),
  ];
}

function bodyOf(move: Transition, eventId: string | null): string | null {
  if (eventId === null) return null;
  const { type, objectJson } = move.refundEvent ?? {
    type: eventOfStatus[move.to],
    objectJson: recordJson(recordOf(afterTransition(move))),
  };
  return eventBody(eventId, type, uuidTimeMs(eventId), objectJson);
}
