import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { PaymentsApp } from '../app.ts';
import { findAnswers, openAnswer } from './answer-statements.ts';
import { type DisputeDetail, detailOf } from './detail.ts';
import { lockedDispute, readDispute } from './read.ts';
import type { DisputeRow } from './record.ts';
import { requireAnswerable, requireComplete } from './rules.ts';
import type { acceptInput, submitInput } from './schema.ts';

/**
 * Submits the draft of the evidence, once a stage. The dispute is SUBMITTED when the provider has confirmed that; one
 * that it refuses stays OPEN, with its `failureCode`, and may be submitted again.
 */
export function submitEvidence(
  { body, principal, idempotencyKey }: Call<Static<typeof submitInput>>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<DisputeDetail>> {
  return answer('SUBMIT', body, { principal, idempotencyKey }, app);
}

/** Accepts a dispute: the money stays with the payer. It is ACCEPTED when the provider has confirmed that. */
export function acceptDispute(
  { body, principal, idempotencyKey }: Call<Static<typeof acceptInput>>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<DisputeDetail>> {
  return answer('ACCEPT', body, { principal, idempotencyKey }, app);
}

async function answer(
  kind: 'SUBMIT' | 'ACCEPT',
  input: Static<typeof submitInput>,
  { principal, idempotencyKey }: Pick<Call, 'principal' | 'idempotencyKey'>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<DisputeDetail>> {
  const { database, clock } = app;
  const found = await readDispute(database, input.id, principal);
  const work = async (transaction: Queryable): Promise<DisputeDetail> => {
    const row = await lockedDispute(transaction, found);
    requireAnswerable(row, await transaction.run(findAnswers, [row.tenant_id, row.id]), kind);
    if (kind === 'SUBMIT') requireComplete(row, row.evidence, input.defenseReason);
    await transaction.run(openAnswer, valuesOf(row, kind, input.defenseReason, principal.userId, clock()));
    const action = kind === 'SUBMIT' ? 'dispute.submit' : 'dispute.accept';
    const details = { stage: row.stage, ...(input.defenseReason && { defenseReason: input.defenseReason }) };
    const entry = { action, tenantId: row.tenant_id, recordId: publicId('dsp', row.id), details } as const;
    await appendAudit(transaction, principal, entry);
    return detailOf(transaction, row);
  };
  const path = kind === 'SUBMIT' ? '/api/dispute/submit' : '/api/dispute/accept';
  const request = { tenantId: found.tenant_id, path, key: idempotencyKey, input, nowMs: clock() };
  return answerOnce(database, request, work);
}

function valuesOf(
  row: DisputeRow,
  kind: 'SUBMIT' | 'ACCEPT',
  defenseReason: string | undefined,
  userId: number,
  nowMs: number,
): unknown[] {
  const evidence = JSON.stringify(kind === 'SUBMIT' ? row.evidence : {});
  const { tenant_id, id, stage, channel_id, provider } = row;
  return [tenant_id, id, kind, stage, channel_id, provider, evidence, defenseReason ?? null, userId, nowMs];
}
