import { claimStatement, leasedTable } from '../../../platform/jobs/lease-statements.ts';
import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import { lookUpWaitsMs, maximumLimitWaitMs } from '../operation-queue/rules.ts';
import { openStates } from '../operation-queue/statements.ts';
import type { ProviderName } from '../providers/directory.ts';
import type { DisputeStage } from '../providers/dispute.ts';
import type { DraftEvidence } from './record.ts';

/** Answers to disputes are due to be sent or looked up. */
export const disputeAnswersDue: Topic = 'dispute_answers';

/** READY: recorded, not sent. CALLING: sent, or about to be. The others are as those of `provider_operation`. */
export type AnswerState = 'READY' | 'CALLING' | 'UNKNOWN' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

export interface AnswerRow {
  tenant_id: number;
  dispute_id: string;
  number: number;
  kind: 'SUBMIT' | 'ACCEPT';
  stage: DisputeStage;
  channel_id: number;
  provider: ProviderName;
  state: AnswerState;
  evidence: DraftEvidence;
  defense_reason: string | null;
  look_ups: number;
  called_at: string | null;
}

const key = ['tenant_id', 'dispute_id', 'number'] as const;

export const answerTable = leasedTable({
  table: 'dispute_operation',
  name: 'dispute_answers',
  open: 'finished_at is null',
  waitMs: `case when state = 'READY' then ${maximumLimitWaitMs}
               else (array[${lookUpWaitsMs.join(', ')}]::float8[])[least(look_ups + 1, ${lookUpWaitsMs.length})] end`,
});

/** For the due-work poller: whether any answer is due. Value: now in ms. */
export const disputeAnswerDue = `select from dispute_operation where ${answerTable.isDue}`;

const answerColumns = [
  ...key,
  'kind',
  'stage',
  'channel_id',
  'provider',
  'state',
  'evidence',
  'defense_reason',
  'look_ups',
  'called_at',
] as const;

export const claimAnswers = claimStatement<AnswerRow>(answerTable, { key, returning: answerColumns });

/**
 * Opens an answer to a locked dispute. Values: tenant, dispute, kind, stage, channel, provider, evidence as JSON,
 * defense reason, user, now in ms.
 */
export const openAnswer = statement(
  'dispute_answers.open',
  `insert into dispute_operation (tenant_id, dispute_id, number, kind, stage, channel_id, provider, evidence,
                                  defense_reason, user_id, due_at, created_at)
   select $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7::json, $8, $9, to_timestamp($10::float8 / 1000),
          to_timestamp($10::float8 / 1000)
     from dispute_operation
    where tenant_id = $1 and dispute_id = $2`,
  { wakes: [{ topic: disputeAnswersDue }] },
);

/** The answers to a dispute, in order. Values: tenant, dispute. */
export const findAnswers = statement<AnswerRow & { finished_at: string | null }>(
  'dispute_answers.find',
  `select ${answerColumns.join(', ')}, finished_at from dispute_operation
    where tenant_id = $1 and dispute_id = $2 order by number`,
);

const isLeased = 'tenant_id = $1 and dispute_id = $2 and number = $3 and lease = $4';

/** Before the call: if the process dies, the next one reads the dispute first. Values: key, lease, now in ms. */
export const markAnswerCalling = statement<{ number: number }>(
  'dispute_answers.mark_calling',
  `update dispute_operation
      set state = 'CALLING', called_at = coalesce(called_at, to_timestamp($5::float8 / 1000))
    where ${isLeased}
   returning number`,
);

/** Values: key, lease, state, when it is due again in ms, calls and look-ups to add. */
export const deferAnswer = statement(
  'dispute_answers.defer',
  `update dispute_operation
      set state = $5, due_at = to_timestamp($6::float8 / 1000), lease = null, leased_until = null,
          called_at = case when $5 <> 'READY' then called_at end, calls = calls + $7, look_ups = look_ups + $8
    where ${isLeased}`,
);

/** Ends an answer that is still open. Values: key, state, now in ms, failure code, the provider's code, the message. */
export const finishAnswer = statement<{ number: number }>(
  'dispute_answers.finish',
  `update dispute_operation
      set state = $4, finished_at = to_timestamp($5::float8 / 1000), lease = null, leased_until = null,
          failure_code = $6, provider_code = $7, failure_message = $8
    where tenant_id = $1 and dispute_id = $2 and number = $3 and state in (${openStates})
   returning number`,
);
