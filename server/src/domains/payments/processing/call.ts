import { Refusal } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import type { Absent, Call, Credentials, Operation, Outcome, Provider } from '../providers/provider.ts';
import { isFinal } from '../transactions/states.ts';
import { operationKey } from './rules.ts';
import type { OperationRow } from './statements.ts';

/** Where payers and providers come back to. */
export interface Addresses {
  /** Of Florin itself, as the world reaches it: `app.public-url`. */
  publicUrl: string;
}

/** What the connector is asked, made of the operation and its payment. */
export function operationOf(row: OperationRow, { publicUrl }: Addresses): Operation {
  const common = {
    key: operationKey(row.id, row.number),
    transactionId: publicId('txn', row.id),
    amount: row.operation_amount,
    currency: row.currency,
    description: row.description,
    metadata: row.metadata,
    reference: row.operation_reference,
    createdMs: row.operation_created_ms,
  };
  switch (row.kind) {
    case 'CHARGE':
      return {
        ...common,
        kind: 'CHARGE',
        paymentMethod: row.payment_method,
        returnUrl: row.return_url ?? publicUrl,
        callbackUrl: `${publicUrl}/api/callback/${row.operation_channel_id}`,
      };
    case 'REFUND':
      return { ...common, kind: 'REFUND', chargeReference: row.charge_reference ?? '', reason: row.refund_reason };
    case 'CANCEL':
      return {
        ...common,
        kind: 'CANCEL',
        chargeKey: operationKey(row.id, row.charge_number ?? 1),
        chargeReference: row.charge_reference,
      };
  }
}

/** What came of asking a provider, and how often it was called and looked up for it. */
export interface ProviderResult {
  outcome: Outcome;
  calls: number;
  /** Those that were really made: the schedule of look-ups goes by their number. */
  lookUps: number;
}

/** Whether an outcome is unknown because of our own database: it says nothing of the provider. */
export function isOwnOutage(outcome: Outcome): boolean {
  return outcome.kind === 'unknown' && outcome.cause instanceof Refusal && outcome.cause.kind === 'unavailable';
}

/**
 * Asks the provider: calls, where the operation was never called, else looks it up, and calls again (under the same key)
 * only where the provider has never heard of it. Whatever is thrown, and silence until the deadline, is an unknown outcome.
 */
export async function ask(
  connector: Provider,
  row: OperationRow,
  operation: Operation,
  { credentials, timeoutMs }: { credentials: Credentials; timeoutMs: number },
): Promise<ProviderResult> {
  const within = <Answer>(work: (call: Call) => Promise<Answer>) =>
    beforeDeadline(timeoutMs, (signal) =>
      work({ credentials, channelId: row.operation_channel_id, signal, timeoutMs }),
    );
  if (row.state === 'READY')
    return { outcome: await within((call) => begin(connector, operation, call)), calls: 1, lookUps: 0 };
  const seen = await within((call) => connector.lookUp(operation, call));
  if (seen.kind !== 'absent') return { outcome: seen, calls: 0, lookUps: isOwnOutage(seen) ? 0 : 1 };
  // Called off after the node that had claimed it died: nobody has been charged, and nobody will be.
  if (row.kind === 'CHARGE' && isFinal(row.status)) return { outcome: { kind: 'cancelled' }, calls: 0, lookUps: 1 };
  return { outcome: await within((call) => begin(connector, operation, call)), calls: 1, lookUps: 1 };
}

/** Looks an operation up and starts nothing, whatever the provider says. */
export function lookUpOnce(
  connector: Provider,
  row: OperationRow,
  operation: Operation,
  { credentials, timeoutMs }: { credentials: Credentials; timeoutMs: number },
): Promise<Outcome | Absent> {
  return beforeDeadline(timeoutMs, (signal) =>
    connector.lookUp(operation, { credentials, channelId: row.operation_channel_id, signal, timeoutMs }),
  );
}

function begin(connector: Provider, operation: Operation, call: Call): Promise<Outcome> {
  switch (operation.kind) {
    case 'CHARGE':
      return connector.charge(operation, call);
    case 'REFUND':
      return connector.refund(operation, call);
    case 'CANCEL':
      return connector.cancel(operation, call);
  }
}

/** The outcome, or unknown when none has come in time: also from a connector that does not listen to its signal. */
async function beforeDeadline<Answer>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | { kind: 'unknown'; cause: unknown }> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ kind: 'unknown'; cause: unknown }>((resolve) => {
    timer = setTimeout(() => {
      const cause = new Error(`No answer within ${timeoutMs} ms.`);
      controller.abort(cause);
      resolve({ kind: 'unknown', cause });
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } catch (cause) {
    return { kind: 'unknown', cause };
  } finally {
    clearTimeout(timer);
  }
}
