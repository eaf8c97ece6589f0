import type { Clock } from '../../../../core/clock.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { addTimelineMessage } from '../../transactions/timeline-message-statements.ts';
import type { FinalOutcome } from '../settlement.ts';
import type { OperationRow } from '../statements.ts';
import type { SettledBy } from '../states.ts';
import type { DisputeKind, Report } from './rules.ts';
import { insertDispute } from './statements.ts';

export interface DisputeReporterDeps {
  database: Queryable;
  clock: Clock;
  generateUuid: GenerateUuid;
  /** Logs and counts a dispute. */
  onDispute: (row: OperationRow, report: Report, kind: DisputeKind) => void;
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

/**
 * Opens a dispute about a report of another amount, currency or mode, or that the provider has forgotten the operation. Look-ups
 * may repeat it; it is recorded once.
 */
export async function reportDifference(
  row: OperationRow,
  report: Report,
  kind: Exclude<DisputeKind, 'contradiction'>,
  by: SettledBy,
  deps: DisputeReporterDeps,
): Promise<void> {
  if (!(await openDispute(row, report, deps))) return;
  deps.onDispute(row, report, kind);
  const { kind: said, reference = null, money, livemode } = report;
  const named = kind === 'mode_mismatch' ? { livemode } : money;
  await addMessage(kind, row, { said, by, reference, ...named }, deps);
}

/** Returns false if the same dispute is open already. */
async function openDispute(
  row: OperationRow,
  { kind, reference, money, livemode }: Report,
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
    livemode === undefined || livemode === row.livemode ? null : livemode,
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
