import type { Clock } from '../../../../core/clock.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { addTimelineMessage } from '../../transactions/timeline-message-statements.ts';
import type { FinalOutcome } from '../settlement.ts';
import type { OperationRow } from '../statements.ts';
import type { SettledBy } from '../states.ts';
import type { DisputeKind } from './rules.ts';
import { insertDispute } from './statements.ts';

export interface DisputeReporterDeps {
  database: Queryable;
  clock: Clock;
  generateUuid: GenerateUuid;
  /** Logs and counts a dispute. */
  onDispute: (row: OperationRow, outcome: FinalOutcome, kind: DisputeKind) => void;
}

/** Opens a dispute about an outcome that contradicts the settled one, and records it on the timeline. */
export async function reportContradiction(
  row: OperationRow,
  outcome: FinalOutcome,
  by: SettledBy,
  deps: DisputeReporterDeps,
): Promise<void> {
  await openDispute(row, outcome, deps);
  deps.onDispute(row, outcome, 'contradiction');
  const { state: stands, status: payment } = row;
  const detail = { stands, payment, said: outcome.kind, by, reference: outcome.reference ?? null };
  await addMessage('contradiction', row, detail, deps);
}

/** Opens a dispute about an outcome of another amount or currency. Look-ups may repeat it; it is recorded once. */
export async function reportMismatch(
  row: OperationRow,
  outcome: FinalOutcome,
  by: SettledBy,
  deps: DisputeReporterDeps,
): Promise<void> {
  if (!(await openDispute(row, outcome, deps))) return;
  deps.onDispute(row, outcome, 'mismatch');
  const detail = { said: outcome.kind, by, reference: outcome.reference ?? null, ...outcome.money };
  await addMessage('mismatch', row, detail, deps);
}

/** Returns false if the same dispute is open already. */
async function openDispute(
  row: OperationRow,
  { kind, reference, money }: FinalOutcome,
  { database, clock }: DisputeReporterDeps,
): Promise<boolean> {
  const opened = await database.run(insertDispute, [
    row.tenant_id,
    row.id,
    row.number,
    row.operation_channel_id,
    kind,
    reference ?? row.operation_reference,
    money?.amount ?? null,
    money?.currency ?? null,
    clock(),
  ]);
  return opened.length > 0;
}

function addMessage(
  kind: DisputeKind,
  row: OperationRow,
  detail: Record<string, unknown>,
  { database, clock, generateUuid }: DisputeReporterDeps,
): Promise<void> {
  return addTimelineMessage(database, row, { id: generateUuid(), atMs: clock(), kind, detail });
}
