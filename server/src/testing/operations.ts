import type {
  Call,
  CancelOperation,
  ChargeOperation,
  Credentials,
  RefundOperation,
} from '../domains/payments/providers/provider.ts';

export interface OperationsOf {
  credentials: Credentials;
  currency: string;
  /** With what charges are paid unless a test says otherwise. */
  paymentMethod: string | null;
}

/** What a connector is asked in its tests: operations with keys of their own, and calls with its channel's credentials. */
export function operationsOf({ credentials, currency, paymentMethod }: OperationsOf) {
  let count = 0;
  const operation = () => ({
    key: `txn_${++count}-1`,
    transactionId: `txn_${count}`,
    amount: 1999,
    currency,
    description: 'Order 66',
    metadata: null,
    reference: null,
    createdMs: Date.now(),
  });
  return {
    chargeOperation: (facts: Partial<ChargeOperation> = {}): ChargeOperation => ({
      ...operation(),
      kind: 'CHARGE',
      paymentMethod,
      returnUrl: 'https://shop.example.org/back',
      callbackUrl: 'http://127.0.0.1:8080/api/callback/7',
      ...facts,
    }),
    refundOperation: (chargeReference: string, facts: Partial<RefundOperation> = {}): RefundOperation => ({
      ...operation(),
      kind: 'REFUND',
      chargeReference,
      reason: null,
      ...facts,
    }),
    cancelOperation: (charge: ChargeOperation, facts: Partial<CancelOperation> = {}): CancelOperation => {
      const { key: chargeKey, reference: chargeReference } = charge;
      return { ...operation(), kind: 'CANCEL', chargeKey, chargeReference, ...facts };
    },
    /** A call whose deadline is far away, or is fired by the test. */
    callWith: (facts: Partial<Call> = {}): Call => ({
      credentials,
      channelId: 7,
      signal: AbortSignal.timeout(30_000),
      timeoutMs: 30_000,
      ...facts,
    }),
  };
}
