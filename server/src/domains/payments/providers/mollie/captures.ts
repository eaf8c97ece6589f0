import { type Capture, CaptureMethod, type MollieClient, type Payment } from '@mollie/api-client';
import { failure } from '../failures.ts';
import type { Absent, Outcome } from '../outcome.ts';
import type { CaptureOperation, ReleaseOperation } from '../provider.ts';
import { isAmount, mollieAmount, moneyOf } from './amounts.ts';
import { unsupportedCurrency } from './failures.ts';
import { keyIn, livemodeIn } from './outcomes.ts';
import { captureStatuses } from './vocabulary.ts';

/** Whether a payment waits to be captured by us: its method can only be authorized, such as Riverty. */
export function waitsForCapture({ status, captureMode }: Payment): boolean {
  return status === 'authorized' && captureMode === CaptureMethod.manual;
}

/**
 * Captures the whole of an authorized payment, as the second step of its charge. Once: the key is good for an hour, and
 * later the list of captures shows what was asked for. A capture that failed is not repeated.
 */
export async function captureOnce(mollie: MollieClient, { id, amount }: Payment, key: string): Promise<void> {
  const captures = await mollie.paymentCaptures.page({ paymentId: id });
  if (captures.length > 0) return;
  await mollie.paymentCaptures.create({
    paymentId: id,
    amount,
    metadata: { florin_key: key },
    idempotencyKey: `${key}-c`,
  });
}

/** Captures some of an authorized payment. Mollie releases the rest only when asked to. */
export async function sendCapture(mollie: MollieClient, operation: CaptureOperation): Promise<Outcome> {
  const { key, transactionId, chargeReference: paymentId } = operation;
  const amount = mollieAmount(operation.amount, operation.currency);
  if (amount === undefined) return unsupportedCurrency(operation);
  const metadata = { florin_key: key, florin_transaction: transactionId };
  return captureOutcome(
    await mollie.paymentCaptures.create({ paymentId, amount, metadata, idempotencyKey: key }),
    operation,
  );
}

/** `absent`: the payment has no capture with our key, so the request can be sent again. */
export async function findCapture(mollie: MollieClient, operation: CaptureOperation): Promise<Outcome | Absent> {
  const { key, reference, chargeReference: paymentId } = operation;
  const capture =
    reference === null
      ? (await mollie.paymentCaptures.page({ paymentId })).find(({ metadata }) => keyIn(metadata) === key)
      : await mollie.paymentCaptures.get(reference, { paymentId });
  return capture === undefined ? { kind: 'absent' } : captureOutcome(capture, operation);
}

function captureOutcome(capture: Capture, { key, amount, currency }: CaptureOperation): Outcome {
  const { id: reference, metadata, status } = capture;
  if (typeof reference !== 'string' || keyIn(metadata) !== key) {
    throw new Error('Mollie answered with a capture of another operation.');
  }
  const meaning = (captureStatuses as Readonly<Record<string, string>>)[status];
  const livemode = livemodeIn(capture);
  const named = livemode === undefined ? {} : { livemode };
  if (meaning === 'failed') {
    return { kind: 'failed', reference, failure: failure('capture_failed', status), ...named };
  }
  // The document lets Mollie leave it out.
  const reported = capture.amount ?? null;
  if (reported !== null && !isAmount(reported, amount, currency)) throw new Error(`${reference} has another amount.`);
  const money = reported === null ? {} : { money: moneyOf(reported) };
  if (meaning === 'succeeded') return { kind: 'succeeded', reference, ...money, ...named };
  if (meaning === 'pending') return { kind: 'pending', reference, ...named };
  throw new Error(`${reference} has a status that is not known here.`);
}

/**
 * Asks for the release of what was not captured. Mollie only accepts that: whether and when the hold is released is the
 * issuer's decision, and the status of the payment tells it.
 */
export async function requestRelease(mollie: MollieClient, { chargeReference }: ReleaseOperation): Promise<Outcome> {
  const found = releaseOutcome(await mollie.payments.get(chargeReference));
  if (found !== undefined) return found;
  await mollie.payments.releaseAuthorization(chargeReference);
  return { kind: 'pending', reference: chargeReference };
}

/** `absent`: the payment is still authorized, and asking once more is safe. */
export async function findRelease(mollie: MollieClient, { chargeReference }: ReleaseOperation) {
  return releaseOutcome(await mollie.payments.get(chargeReference)) ?? ({ kind: 'absent' } as const);
}

/** Undefined while the payment is authorized. */
function releaseOutcome(payment: Payment): Outcome | undefined {
  if (payment.status === 'authorized') return undefined;
  const livemode = livemodeIn(payment);
  return { kind: 'succeeded', reference: payment.id, ...(livemode !== undefined && { livemode }) };
}
