import type { Transaction, Transactional } from '../../../platform/postgres/database.ts';
import type { NextAction, SetupOutcome } from '../providers/outcome.ts';
import { changeMethod, customerOf, type MethodChange, type MethodChangeDeps } from './change.ts';
import { columnsOf, type Sealer } from './kept.ts';
import { finishMethodOperation, type MethodOperationRow, openMethodOperation } from './operation-statements.ts';
import { learnCustomer, readMethodsOf } from './provider-customers.ts';
import { lockedMethod } from './read.ts';
import type { MethodRow } from './record.ts';

export interface SettleDeps extends MethodChangeDeps, Sealer {
  database: Transactional;
}

type FinalSetupOutcome = Extract<SetupOutcome, { kind: 'attached' | 'failed' }>;

/** The provider calls and look-ups that an outcome took. */
interface Asked {
  calls: number;
  lookUps: number;
}

/**
 * Ends a setup: the operation, its method and the events in one transaction, once. A method that was detached
 * meanwhile is detached at the provider as well.
 */
export async function settleSetup(
  operation: MethodOperationRow,
  row: MethodRow,
  outcome: FinalSetupOutcome,
  { calls, lookUps }: Asked,
  deps: SettleDeps,
): Promise<void> {
  const { tenant_id, method_id, number } = operation;
  const failed = outcome.kind === 'failed' ? outcome.failure : undefined;
  await deps.database.transaction(async (transaction) => {
    await deps.methodCustomers.lock(transaction, customerOf(row));
    const before = await lockedMethod(transaction, row);
    const facts = [failed?.code ?? null, failed?.providerCode ?? null, failed?.message ?? null];
    const state = failed === undefined ? 'SUCCEEDED' : 'FAILED';
    const finished = await transaction.run(finishMethodOperation, [
      ...[tenant_id, method_id, number, state, deps.clock(), outcome.reference ?? null],
      ...[...facts, calls, lookUps],
    ]);
    if (finished.length === 0) return;
    await changeMethod(transaction, before, changeBy(outcome, before, transaction, deps), deps);
    const { customerReference: reference } = outcome;
    const isCurrent = operation.provider_reference === null;
    if (reference !== undefined) await learnCustomer(transaction, before, { reference, isCurrent }, deps);
    // It may have ended since the setup, and the callback about that was of a method that was not known yet.
    if (lookUps > 0) await readMethodsOf(transaction, before, deps);
    if (before.status === 'DETACHED' && outcome.kind === 'attached') {
      const { channel_id, provider } = operation;
      await transaction.run(openMethodOperation, [tenant_id, method_id, 'DETACH', channel_id, provider, deps.clock()]);
    }
  });
}

/** Shows the payer's next step, with its event, unless it is shown already. */
export async function showNextAction(row: MethodRow, nextAction: NextAction, deps: SettleDeps): Promise<void> {
  if (row.status !== 'PENDING' || JSON.stringify(row.next_action) === JSON.stringify(nextAction)) return;
  await deps.database.transaction(async (transaction) => {
    const before = await lockedMethod(transaction, row);
    if (before.status !== 'PENDING' || before.version !== row.version) return;
    await changeMethod(transaction, before, { next_action: nextAction }, deps, ['payment_method.action_required']);
  });
}

function changeBy(
  outcome: FinalSetupOutcome,
  before: MethodRow,
  transaction: Transaction,
  deps: SettleDeps,
): MethodChange {
  const isDetached = before.status === 'DETACHED';
  if (outcome.kind === 'failed') {
    return { status: isDetached ? 'DETACHED' : 'FAILED', failure_code: outcome.failure.code, ...noSource };
  }
  const told = columnsOf(outcome.method, before.channel_id, before, transaction, deps);
  return { ...told, status: isDetached ? 'DETACHED' : 'ACTIVE', ...noSource };
}

/** What a setup was made from is of no use once it has ended. */
const noSource = { source_sealed: null, source_plain: null } as const;
