import type { Clock } from '../../../../core/clock.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import type { Transactional } from '../../../../platform/postgres/database.ts';
import { addTimelineMessage } from '../../transactions/timeline-message-statements.ts';
import type { FinalOutcome } from '../effect.ts';
import type { OperationRow } from '../statements.ts';
import type { SettledBy } from '../states.ts';
import { appendDiscrepancyEvent } from './record.ts';
import type { DiscrepancyKind, Report } from './rules.ts';
import { insertDiscrepancy } from './statements.ts';

export interface DiscrepancyReporterDeps {
  database: Transactional;
  clock: Clock;
  generateUuid: GenerateUuid;
  /** Logs and counts a discrepancy. */
  onDiscrepancy: (row: OperationRow, report: Report, kind: DiscrepancyKind) => void;
}

/** Opens a discrepancy about an outcome that contradicts the settled one, and records it on the timeline. */
export async function reportContradiction(
  row: OperationRow,
  outcome: FinalOutcome,
  by: SettledBy,
  deps: DiscrepancyReporterDeps,
): Promise<void> {
  await openDiscrepancy(row, outcome, deps);
  deps.onDiscrepancy(row, outcome, 'contradiction');
  const { state: stands, status: payment } = row;
  const detail = { stands, payment, said: outcome.kind, by, reference: outcome.reference ?? null };
  await addMessage('contradiction', row, detail, deps);
}

/**
 * Opens a discrepancy about a report of another amount, currency or mode, or that the provider has forgotten the
 * operation. Look-ups may repeat it; it is recorded once.
 */
export async function reportDifference(
  row: OperationRow,
  report: Report,
  kind: Exclude<DiscrepancyKind, 'contradiction'>,
  by: SettledBy,
  deps: DiscrepancyReporterDeps,
): Promise<void> {
  if (!(await openDiscrepancy(row, report, deps))) return;
  deps.onDiscrepancy(row, report, kind);
  const { kind: said, reference = null, money, livemode } = report;
  const named = kind === 'mode_mismatch' ? { livemode } : money;
  await addMessage(kind, row, { said, by, reference, ...named }, deps);
}

/** Returns false if the same discrepancy is open already. */
async function openDiscrepancy(
  row: OperationRow,
  { kind, reference, money, livemode }: Report,
  { database, clock, generateUuid }: DiscrepancyReporterDeps,
): Promise<boolean> {
  const values = [
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
    generateUuid(),
  ];
  return database.transaction(async (transaction) => {
    const [opened] = await transaction.run(insertDiscrepancy, values);
    if (opened !== undefined) await appendDiscrepancyEvent(transaction, 'discrepancy.opened', opened, generateUuid);
    return opened !== undefined;
  });
}

function addMessage(
  kind: DiscrepancyKind,
  row: OperationRow,
  detail: Record<string, unknown>,
  { database, clock, generateUuid }: DiscrepancyReporterDeps,
): Promise<void> {
  return addTimelineMessage(database, row, { id: generateUuid(), atMs: clock(), kind, detail });
}
