import { isUnavailable } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { callbackUrlOf, LostCredentialsError } from '../channels/credentials.ts';
import { returnAddressOf } from '../channels/return-address.ts';
import type { SecretOpener } from '../channels/secrets.ts';
import { noMethods, type SentMethods } from '../methods/charges.ts';
import { callInTime, type UnknownOutcome } from '../providers/call-in-time.ts';
import type { Absent, Outcome } from '../providers/outcome.ts';
import type { Call, CaptureProvider, Credentials, Operation, Provider, Purchase } from '../providers/provider.ts';
import { capturedAmountOf } from '../transactions/captured.ts';
import { paymentTokenOf } from '../transactions/payment-token.ts';
import { noPurchase } from '../transactions/purchase.ts';
import { isFinal } from '../transactions/states.ts';
import { operationKey } from './rules.ts';
import type { OperationRow } from './statements.ts';
import type { OperationKind } from './states.ts';

/** What an operation needs besides its row: the addresses for answers, and what opens the payer's token. */
export interface CallbackRoute extends PublicAddress {
  /** What is sent of payment methods with a charge. */
  methods?: SentMethods;
  /** The unguessable part of the channel's callback address. */
  callbackToken: string;
  /** Opens the token of the payment method. */
  secrets: SecretOpener;
  /** Of a charge through a provider that takes it. */
  purchase?: Purchase;
}

export interface PublicAddress {
  /** The address of Florin for payers and providers, without a slash at the end: `app.public-url`. */
  publicUrl: string;
}

export interface ProviderResult {
  outcome: Outcome;
  calls: number;
  /** Look-ups that reached the provider: the schedule of look-ups depends on their number. */
  lookUps: number;
}

interface CallOptions {
  credentials: Credentials;
  /** Deadline of each call and each look-up. */
  timeoutMs: number;
  observe?: ObserveCall | undefined;
}

/** A request to a provider: an operation, or the look-up of an earlier one. */
export type ProviderVerb = 'charge' | 'refund' | 'cancel' | 'capture' | 'release' | 'look_up';

/** Called after each call and each look-up, with the kind of the answer and its duration. */
export type ObserveCall = (
  row: OperationRow,
  verb: ProviderVerb,
  outcome: (Outcome | Absent)['kind'],
  seconds: number,
) => void;

const verbs = {
  CHARGE: 'charge',
  REFUND: 'refund',
  CANCEL: 'cancel',
  CAPTURE: 'capture',
  RELEASE: 'release',
} as const satisfies Record<OperationKind, ProviderVerb>;

/**
 * Calls the provider if the operation was never sent; otherwise looks the operation up, and calls again (under the same
 * key) only if the provider does not know it. An exception of the connector and a timeout are unknown outcomes.
 */
export async function callOrLookUp(
  connector: Provider,
  row: OperationRow,
  operation: Operation,
  options: CallOptions,
): Promise<ProviderResult> {
  const call = () => withDeadline(row, verbs[row.kind], options, (context) => send(connector, operation, context));
  if (row.state === 'READY') return { outcome: await call(), calls: 1, lookUps: 0 };
  const answer = await lookUpOperation(connector, row, operation, options);
  if (answer.kind !== 'absent') return { outcome: answer, calls: 0, lookUps: reachedProvider(answer) ? 1 : 0 };
  // The node that claimed the charge died, and the payment was cancelled since: the provider has not charged, and must
  // not.
  if (row.kind === 'CHARGE' && isFinal(row.status)) return { outcome: { kind: 'cancelled' }, calls: 0, lookUps: 1 };
  return { outcome: await call(), calls: 1, lookUps: 1 };
}

/** Looks an operation up, without sending it if the provider does not know it. */
export function lookUpOperation(
  connector: Provider,
  row: OperationRow,
  operation: Operation,
  options: CallOptions,
): Promise<Outcome | Absent> {
  return withDeadline(row, 'look_up', options, (context) => connector.lookUp(operation, context));
}

/** A look-up that a rate limit refused does not count: it would lengthen the wait before the next one. */
function reachedProvider(answer: Outcome): boolean {
  return answer.kind !== 'rate_limited' && !isOwnOutage(answer);
}

/**
 * Whether an outcome is unknown because Florin could not call the provider: its own database is unavailable, or the
 * channel's API key is lost. Such an outcome says nothing about the provider.
 */
export function isOwnOutage(outcome: Outcome): boolean {
  if (outcome.kind !== 'unknown') return false;
  const { cause } = outcome;
  return cause instanceof LostCredentialsError || isUnavailable(cause);
}

/** The operation in the form that connectors take. */
export function providerOperation(
  row: OperationRow,
  { publicUrl, callbackToken, secrets, methods = noMethods, purchase = noPurchase }: CallbackRoute,
): Operation {
  const common = {
    key: operationKey(row.id, row.number),
    transactionId: publicId('txn', row.id),
    amount: row.operation_amount,
    currency: row.currency,
    description: row.description,
    metadata: row.metadata,
    reference: row.operation_reference,
    createdMs: row.operation_created_ms,
    calledMs: row.operation_called_ms,
  };
  switch (row.kind) {
    case 'CHARGE':
      return {
        ...common,
        kind: 'CHARGE',
        captureMethod: row.capture_method ?? 'AUTOMATIC',
        paymentMethod: paymentTokenOf(row, secrets),
        method: methods.method,
        initiator: row.initiator,
        save: methods.save,
        ...purchase,
        statementDescriptor: row.statement_descriptor,
        payerFlow: row.payer_flow,
        returnUrl: returnAddressOf(publicUrl, returningOf(row), callbackToken),
        callbackUrl: callbackUrlOf(publicUrl, row.operation_channel_id, callbackToken),
      };
    case 'REFUND':
      return { ...common, kind: 'REFUND', chargeReference: row.charge_reference ?? '', reason: row.refund_reason };
    case 'CANCEL':
      return {
        ...common,
        kind: 'CANCEL',
        chargeKey: operationKey(row.id, row.charge_number ?? 1),
        chargeReference: row.charge_reference,
        chargeCreatedMs: row.charge_created_ms ?? row.operation_created_ms,
        chargeCalledMs: row.charge_called_ms ?? row.operation_created_ms,
      };
    case 'CAPTURE':
      return {
        ...common,
        kind: 'CAPTURE',
        ...chargeIn(row),
        authorizedAmount: row.amount,
        capturedBefore: capturedBefore(row),
        isFinal: row.is_final ?? true,
      };
    case 'RELEASE':
      return { ...common, kind: 'RELEASE', ...chargeIn(row) };
  }
}

const returningOf = ({ tenant_id: tenantId, operation_channel_id: channelId, id }: OperationRow) =>
  ({ kind: 'PAYMENT', tenantId, channelId, id }) as const;

const chargeIn = (row: OperationRow) => ({
  chargeKey: operationKey(row.id, row.charge_number ?? 1),
  chargeReference: row.charge_reference ?? '',
});

/** What earlier captures have taken: after its success, a capture is part of what was captured. */
function capturedBefore(row: OperationRow): number {
  return capturedAmountOf(row) - (row.state === 'SUCCEEDED' ? row.operation_amount : 0);
}

function send(connector: Provider, operation: Operation, context: Call): Promise<Outcome> {
  switch (operation.kind) {
    case 'CHARGE':
      return connector.charge(operation, context);
    case 'REFUND':
      return connector.refund(operation, context);
    case 'CANCEL':
      return connector.cancel(operation, context);
    case 'CAPTURE':
      return capturesOf(connector).capture(operation, context);
    case 'RELEASE':
      return capturesOf(connector).release(operation, context);
  }
}

/** Captures are only requested where the provider can authorize first. */
function capturesOf({ captures }: Provider): CaptureProvider {
  if (captures === undefined) throw new Error('The provider cannot capture.');
  return captures;
}

async function withDeadline<Answer extends Outcome | Absent>(
  row: OperationRow,
  verb: ProviderVerb,
  { credentials, timeoutMs, observe }: CallOptions,
  request: (context: Call) => Promise<Answer>,
): Promise<Answer | UnknownOutcome> {
  const startedAt = performance.now();
  const answer = await callInTime({ credentials, channelId: row.operation_channel_id, timeoutMs }, request);
  observe?.(row, verb, answer.kind, (performance.now() - startedAt) / 1000);
  return answer;
}
