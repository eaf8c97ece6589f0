import { statement } from '../../../../platform/postgres/statement.ts';
import { sandboxCallbacksDue } from './statements.ts';

/** What the payer, or the merchant, has answered to a dispute. */
export type DisputeAnswer = 'SUBMITTED' | 'ACCEPTED' | 'WINNING' | 'LOSING';

/** An operation whose money is disputed: a charge, or the refund or the capture after which the dispute began. */
export interface DisputedRecord {
  key: string;
  charge_key: string;
  behaviour: string;
  /** What is at stake. */
  amount: number;
  currency: string;
  began_ms: number;
  answer: DisputeAnswer | null;
  /** The key of the request with the answer. */
  answer_by: string | null;
  answered_ms: number | null;
}

const disputed = `
   select o.key, charge.key as charge_key, o.behaviour,
          case o.kind when 'CAPTURE' then o.amount else coalesce(charge.captured, charge.amount) end as amount,
          o.currency, (extract(epoch from o.disputed_at) * 1000)::float8 as began_ms, o.dispute_answer as answer,
          o.dispute_answer_by as answer_by, (extract(epoch from o.dispute_answered_at) * 1000)::float8 as answered_ms
     from sandbox_operation o
     join sandbox_operation charge on charge.key = coalesce(o.charge_key, o.key)
    where o.disputed_at is not null and o.state = 'SUCCEEDED' and coalesce(charge.captured, charge.amount) > 0`;

/** Values: the key, the channel, now in ms. */
export const findDisputed = statement<DisputedRecord>(
  'sandbox.find_disputed',
  `${disputed} and o.key = $1 and o.channel_id = $2 and o.disputed_at <= to_timestamp($3::float8 / 1000)`,
);

/** The disputes of a channel that may have changed. Values: channel, since and until in ms, rows to skip, limit. */
export const findDisputedSince = statement<DisputedRecord>(
  'sandbox.find_disputed_since',
  `${disputed} and o.channel_id = $1 and o.disputed_at <= to_timestamp($3::float8 / 1000)
      and greatest(o.disputed_at, o.dispute_answered_at) >= to_timestamp($2::float8 / 1000)
    order by o.disputed_at, o.key offset $4::int limit $5::int`,
);

/**
 * Records the answer to a dispute once, with the callback that tells of what follows. Values: key, channel, answer, the
 * key of the request, now in ms, the callback as JSON (null: no secret), when it is due in ms.
 */
export const answerDispute = statement<{ key: string }>(
  'sandbox.answer_dispute',
  `update sandbox_operation
      set dispute_answer = $3, dispute_answer_by = $4, dispute_answered_at = to_timestamp($5::float8 / 1000),
          callbacks = case when $6::json is null then callbacks
                           else (coalesce(callbacks::jsonb, '[]') || jsonb_build_array($6::jsonb))::json end,
          callback_due_at = case when $6::json is null then callback_due_at
                                 else coalesce(callback_due_at, to_timestamp($7::float8 / 1000)) end
    where key = $1 and channel_id = $2 and disputed_at is not null and dispute_answer is null
   returning key`,
  { wakes: [{ topic: sandboxCallbacksDue, when: (rows) => rows.length > 0 }] },
);
