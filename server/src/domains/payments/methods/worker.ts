import { type Clock, secondMs } from '../../../core/clock.ts';
import { type GenerateUuid, publicId } from '../../../core/id.ts';
import { retryAfterMs } from '../../../core/retry-after.ts';
import { claimBy, leasesOf } from '../../../platform/jobs/lease-statements.ts';
import { type FailureReports, type Leased, Worker } from '../../../platform/jobs/worker.ts';
import type { Queryable, Transactional } from '../../../platform/postgres/database.ts';
import type { FailPoint } from '../../../platform/process/fail-point.ts';
import { type ChannelCredentials, callbackUrlOf } from '../channels/credentials.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { OperatorWarnings } from '../channels/operator-warnings.ts';
import { returnAddressOf } from '../channels/return-address.ts';
import { lookUpAt, maximumLimitWaitMs } from '../operation-queue/rules.ts';
import { callInTime } from '../providers/call-in-time.ts';
import type { ProviderName, Providers } from '../providers/directory.ts';
import { type Failure, failure } from '../providers/failures.ts';
import type { Absent, NamedMode, Outcome, SetupOutcome } from '../providers/outcome.ts';
import type { Call, DetachOperation, MethodProvider, Provider, SetupOperation } from '../providers/provider.ts';
import { changeMethod } from './change.ts';
import type { MethodCustomers } from './customers.ts';
import { keptMethodOf, sourceOf } from './kept.ts';
import { isOfOtherMode, type ModeReports } from './mode.ts';
import {
  claimMethodOperations,
  deferMethodOperation,
  finishMethodOperation,
  type MethodOperationRow,
  type MethodOperationState,
  markCalling,
  methodOperationDue,
  methodOperationsDue,
  methodOperationTable,
} from './operation-statements.ts';
import { customerAtProvider, learnCustomer } from './provider-customers.ts';
import { lockedMethod } from './read.ts';
import type { MethodRow } from './record.ts';
import { settleSetup, showNextAction } from './settle.ts';
import { findMethod } from './statements.ts';

export interface MethodWorkerDeps extends FailureReports, ModeReports {
  database: Transactional;
  providers: Pick<Providers, 'of'>;
  channels: Pick<ChannelDirectory, 'find'>;
  credentials: Pick<ChannelCredentials, 'of' | 'secrets'>;
  methodCustomers: MethodCustomers;
  operatorWarnings: Pick<OperatorWarnings, 'failed'>;
  seal: (plain: string, associatedData: string) => Buffer;
  clock: Clock;
  generateUuid: GenerateUuid;
  publicUrl: string;
  /** Providers that are never called: the sandbox, if `app.sandbox.enabled` is false. */
  disabledProviders?: ReadonlySet<ProviderName>;
  /** Deadline of each call and each look-up: `app.provider.timeout`. */
  timeoutMs: number;
  /** How long a setup waits for its payer: `app.payment.payer-timeout`. */
  payerTimeoutMs: number;
  failPoint: FailPoint;
}

/** Setups and detachments are rare, compared with charges. */
const maximumInFlight = 50;
/** A lease lasts longer than its two calls (a look-up, then a call), by the time to settle. */
const leaseBeyondCallsMs = 10 * secondMs;

/**
 * Takes operations of payment methods from READY to their final state: marks them as called, calls the provider or
 * looks up the outcome of an earlier call, and settles the method, or defers the operation to its next look-up. If the
 * process dies between two steps, another one looks the operation up under the same idempotency key.
 */
export function methodWorker(deps: MethodWorkerDeps): Worker<MethodOperationRow> {
  const { timeoutMs, onError, onRecovered } = deps;
  const leasing = { ...deps, leaseMs: 2 * timeoutMs + leaseBeyondCallsMs };
  return new Worker<MethodOperationRow>({
    name: 'methods',
    dueWork: { topic: methodOperationsDue, due: methodOperationDue },
    claim: claimBy(claimMethodOperations, leasing),
    leases: leasesOf(methodOperationTable, leasing),
    keyOf: ({ tenant_id, method_id, number }) => `${tenant_id} ${method_id} ${number}`,
    perform: (operation) => perform(operation, deps),
    slots: maximumInFlight,
    onError,
    onRecovered,
  });
}

type Operation = Leased<MethodOperationRow>;

interface Asked<Answer> {
  answer: Answer;
  calls: number;
  lookUps: number;
}

async function perform(operation: Operation, deps: MethodWorkerDeps): Promise<void> {
  const { database, clock, failPoint } = deps;
  failPoint('method_claimed');
  const [row] = await database.run(findMethod, [[operation.tenant_id], operation.method_id]);
  if (row === undefined) throw new Error(`There is no payment method ${operation.method_id}.`);
  const isNew = operation.state === 'READY';
  if (isNew && operation.kind === 'SETUP' && row.status === 'DETACHED') return cancel(operation, row, deps);
  if (isNew) {
    const marked = await database.run(markCalling, [...leaseKeyOf(operation), clock()]);
    if (marked.length === 0) return;
  }
  failPoint('method_calling');
  if (operation.kind === 'SETUP') await setUp(operation, row, deps);
  else await detach(operation, row, deps);
}

async function setUp(operation: Operation, row: MethodRow, deps: MethodWorkerDeps): Promise<void> {
  const { failPoint } = deps;
  const asked = await askForSetup(operation, row, deps);
  failPoint('method_answered');
  const answer = asked.answer.kind === 'unknown' && asked.answer.isForgotten ? forgotten : asked.answer;
  if (isOfOtherMode(row, modeIn(answer), deps)) return defer(operation, { ...asked, answer: otherMode }, deps);
  if (answer.kind === 'attached' || answer.kind === 'failed') {
    await settleSetup(operation, row, answer, asked, deps);
    failPoint('method_settled');
    if (answer.kind === 'failed') await warnOperator(operation, answer.failure, deps);
    return;
  }
  if ('customerReference' in answer && answer.customerReference !== undefined) {
    const isCurrent = operation.provider_reference === null;
    await learnCustomer(deps.database, row, { reference: answer.customerReference, isCurrent }, deps);
  }
  if (answer.kind === 'needs_payer') await showNextAction(row, answer.nextAction, deps);
  await defer(operation, asked, deps);
}

async function askForSetup(operation: Operation, row: MethodRow, deps: MethodWorkerDeps): Promise<Asked<SetupOutcome>> {
  if (deps.disabledProviders?.has(operation.provider)) return withoutCall(sandboxDisabled);
  const { methods }: Provider = await deps.providers.of(operation.provider);
  if (methods === undefined) return withoutCall(cannotKeep);
  const isNew = operation.state === 'READY';
  let request: SetupOperation;
  try {
    request = await setupOperationOf(operation, row, deps);
  } catch (cause) {
    // Its credentials or its token cannot be opened, or the database is unavailable: it is tried again.
    return withoutCall({ kind: 'unknown', cause });
  }
  const call = (verb: (methods: MethodProvider, context: Call) => Promise<SetupOutcome | Absent>) =>
    callWithCredentials(operation, deps, (context) => verb(methods, context));
  if (request.customerReference !== null) {
    // It only reads, so that it can be repeated without a look-up.
    const answer = await call(async (methods, context) => methods.adopt?.(request, context) ?? cannotAdopt);
    return { answer: answer as SetupOutcome, calls: 1, lookUps: isNew ? 0 : 1 };
  }
  const lookedUp = isNew
    ? ({ kind: 'absent' } as const)
    : await call((methods, context) => methods.lookUp(request, context));
  const isOver = lookedUp.kind === 'needs_payer' && payerEndMs(operation, deps) <= deps.clock();
  if (isOver && methods.giveUp !== undefined) {
    const waiting = { ...request, reference: lookedUp.reference };
    const answer = await call(async (provider, context) => provider.giveUp?.(waiting, context) ?? lookedUp);
    return { answer: answer as SetupOutcome, calls: 1, lookUps: 1 };
  }
  if (lookedUp.kind !== 'absent') return { answer: lookedUp, calls: 0, lookUps: isNew ? 0 : 1 };
  const answer = (await call((methods, context) => methods.setUp(request, context))) as SetupOutcome;
  return { answer, calls: 1, lookUps: isNew ? 0 : 1 };
}

/** Until when a setup waits for its payer; then Florin gives up waiting. */
const payerEndMs = ({ created_at }: MethodOperationRow, { payerTimeoutMs }: Pick<MethodWorkerDeps, 'payerTimeoutMs'>) =>
  Date.parse(created_at) + payerTimeoutMs;

/** The setup in the form that connectors take. */
export async function setupOperationOf(
  operation: MethodOperationRow,
  row: MethodRow,
  deps: MethodWorkerDeps,
): Promise<SetupOperation> {
  const { channels, credentials, publicUrl } = deps;
  const channel = await channels.find(operation.channel_id);
  const { callbackToken } = await credentials.of(operation.channel_id);
  const { token, bankAccount, customerReference = null } = sourceOf(row, credentials.secrets);
  return {
    kind: 'SETUP',
    key: methodOperationKey(operation),
    methodId: publicId('mtd', row.id),
    customer: await customerAtProvider(deps.database, row, deps),
    token,
    customerReference,
    bankAccount,
    type: row.type === 'other' ? null : row.type,
    agreement: row.agreement,
    consent: row.consent,
    metadata: row.metadata,
    currency: channel?.currencies[0] ?? '',
    returnUrl: returnAddressOf(publicUrl, returningOf(row), callbackToken),
    callbackUrl: callbackUrlOf(publicUrl, operation.channel_id, callbackToken),
    reference: operation.provider_reference,
    createdMs: Date.parse(operation.created_at),
    calledMs: operation.called_at === null ? null : Date.parse(operation.called_at),
  };
}

/** How often a detachment is tried that the provider refuses: by the waits of look-ups, for three days. */
const maximumDetachments = 8;

/** A method that has ended here is ended at the provider, too. Repeating it is harmless, so there is no look-up. */
async function detach(operation: Operation, row: MethodRow, deps: MethodWorkerDeps): Promise<void> {
  const answer = await askForDetach(operation, row, deps);
  deps.failPoint('method_answered');
  const asked = { answer, calls: 1, lookUps: operation.state === 'READY' ? 0 : 1 };
  if (answer.kind === 'succeeded') {
    await finish(operation, 'SUCCEEDED', asked, deps);
    deps.failPoint('method_settled');
  } else if (answer.kind === 'failed' && operation.look_ups + asked.lookUps + 1 >= maximumDetachments) {
    await finish(operation, 'FAILED', asked, deps);
    await warnOperator(operation, answer.failure, deps);
  } else {
    const isRefused = answer.kind === 'failed' || answer.kind === 'cancelled';
    await defer(operation, isRefused ? { ...asked, answer: refusedDetachment } : asked, deps);
  }
}

const refusedDetachment = { kind: 'unknown', cause: new Error('The provider refused to end the method.') } as const;

async function askForDetach(operation: Operation, row: MethodRow, deps: MethodWorkerDeps): Promise<Outcome> {
  const { methods }: Provider = await deps.providers.of(operation.provider);
  if (methods === undefined) return cannotKeep;
  const answer = await callWithCredentials<Outcome>(operation, deps, (context) => {
    const request: DetachOperation = {
      kind: 'DETACH',
      key: methodOperationKey(operation),
      methodId: publicId('mtd', row.id),
      method: keptMethodOf(row, deps.credentials.secrets),
    };
    return methods.detach(request, context);
  });
  // The method lives on at the provider: it is detached once an operator has given the channel a key that works.
  if (answer.kind !== 'failed' || answer.failure.code !== 'credentials_refused') return answer;
  await warnOperator(operation, answer.failure, deps);
  return { kind: 'unknown', cause: new Error(answer.failure.message) };
}

/** About failures that are no declines, for each channel and code once a minute. */
async function warnOperator(
  { channel_id: channelId, provider, method_id, kind }: Operation,
  failure: Failure,
  { operatorWarnings }: MethodWorkerDeps,
): Promise<void> {
  const facts = { methodId: publicId('mtd', method_id), operation: kind };
  await operatorWarnings.failed({ channelId, provider, failure, facts });
}

export async function callWithCredentials<Answer>(
  { channel_id: channelId }: MethodOperationRow,
  { credentials, timeoutMs }: MethodWorkerDeps,
  request: (context: Call) => Promise<Answer>,
): Promise<Answer | { kind: 'unknown'; cause: unknown }> {
  try {
    const opened = await credentials.of(channelId);
    return await callInTime({ credentials: opened, channelId, timeoutMs }, request);
  } catch (cause) {
    return { kind: 'unknown', cause };
  }
}

/** Records an operation that stays open, and when it is looked up or sent again. */
async function defer(
  operation: Operation,
  { answer, calls, lookUps }: Asked<SetupOutcome | Outcome>,
  deps: MethodWorkerDeps,
): Promise<void> {
  const { database, clock } = deps;
  const nowMs = clock();
  const reference = 'reference' in answer ? (answer.reference ?? null) : null;
  const isLimited = answer.kind === 'rate_limited';
  const askedMs = isLimited ? (retryAfterMs(answer.retryAfter, nowMs) ?? secondMs) : 0;
  const lookUpMs = lookUpAt(operation.look_ups + lookUps, nowMs);
  const endMs = payerEndMs(operation, deps);
  const isInTime = answer.kind === 'needs_payer' && nowMs < endMs;
  const waitedMs = isInTime ? Math.min(lookUpMs, endMs) : lookUpMs;
  const dueMs = isLimited ? nowMs + Math.min(askedMs, maximumLimitWaitMs) : waitedMs;
  const state: MethodOperationState =
    isLimited && calls > 0 ? 'READY' : answer.kind === 'unknown' || isLimited ? 'UNKNOWN' : 'WAITING';
  await database.run(deferMethodOperation, [...leaseKeyOf(operation), state, dueMs, reference, calls, lookUps]);
}

async function finish(
  { tenant_id, method_id, number }: Operation,
  state: MethodOperationState,
  { answer, calls, lookUps }: Asked<Outcome>,
  { database, clock }: { database: Queryable; clock: Clock },
): Promise<void> {
  const failed = answer.kind === 'failed' ? answer.failure : undefined;
  const facts = [failed?.code ?? null, failed?.providerCode ?? null, failed?.message ?? null];
  await database.run(finishMethodOperation, [
    tenant_id,
    method_id,
    number,
    state,
    clock(),
    null,
    ...facts,
    calls,
    lookUps,
  ]);
}

/** Ends a setup that was never sent, because its method was detached. Its token is needed no more. */
function cancel(operation: Operation, row: MethodRow, deps: MethodWorkerDeps): Promise<void> {
  return deps.database.transaction(async (transaction) => {
    const before = await lockedMethod(transaction, row);
    const cancelled = { answer: { kind: 'cancelled' }, calls: 0, lookUps: 0 } as const;
    await finish(operation, 'CANCELLED', cancelled, { ...deps, database: transaction });
    if (before.source_sealed !== null) await changeMethod(transaction, before, { source_sealed: null }, deps);
  });
}

/** The idempotency key under which a provider knows an operation of a method: `mtd_…-1`. */
export function methodOperationKey({ method_id, number }: MethodOperationRow): string {
  return `${publicId('mtd', method_id)}-${number}`;
}

const leaseKeyOf = ({ tenant_id, method_id, number, lease }: Operation) => [tenant_id, method_id, number, lease];

const returningOf = ({ tenant_id: tenantId, channel_id: channelId, id }: MethodRow) =>
  ({ kind: 'METHOD', tenantId, channelId, id }) as const;

const withoutCall = <Answer>(answer: Answer): Asked<Answer> => ({ answer, calls: 0, lookUps: 0 });

const sandboxDisabled = {
  kind: 'failed',
  failure: failure('invalid_operation', 'sandbox_disabled', 'The sandbox is disabled here.'),
} as const;

/** A setup moves no money: without knowing what became of it, another one does no harm. */
const forgotten = {
  kind: 'failed',
  failure: failure('processing_error', null, 'The provider can no longer say what became of this setup.'),
} as const;

const modeIn = (answer: SetupOutcome): NamedMode => ('livemode' in answer ? answer : {});

const otherMode = { kind: 'unknown', cause: new Error('The provider named the other mode.') } as const;

const cannotAdopt = {
  kind: 'failed',
  failure: failure('not_supported', null, 'The provider of the channel takes over no payment methods.'),
} as const;

const cannotKeep = {
  kind: 'failed',
  failure: failure('not_supported', null, 'The provider of the channel keeps no payment methods.'),
} as const;
