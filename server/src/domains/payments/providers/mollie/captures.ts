import { CaptureMethod, type MollieClient, type Payment } from '@mollie/api-client';

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
