import type {
  Call,
  CancelOperation,
  CaptureOperation,
  ChargeOperation,
  Credentials,
  RefundOperation,
  ReleaseOperation,
  SetupOperation,
} from '../../../src/domains/payments/providers/provider.ts';

export interface OperationsOf {
  credentials: Credentials;
  currency: string;
  /** The payment method of charges, unless a test gives another one. */
  paymentMethod: string | null;
}

/** Makes operations with unique keys, and calls with the credentials of a channel, for tests of connectors. */
export function operationsOf({ credentials, currency, paymentMethod }: OperationsOf) {
  let count = 0;
  const nextOperation = () => ({
    key: `txn_${++count}-1`,
    transactionId: `txn_${count}`,
    amount: 1999,
    currency,
    description: 'Order 66',
    metadata: null,
    reference: null,
    createdMs: Date.now(),
    calledMs: null,
  });
  return {
    chargeOperation: (facts: Partial<ChargeOperation> = {}): ChargeOperation => ({
      ...nextOperation(),
      kind: 'CHARGE',
      paymentMethod,
      method: null,
      initiator: 'PAYER',
      save: null,
      captureMethod: 'AUTOMATIC',
      lines: null,
      billingAddress: null,
      statementDescriptor: null,
      payerFlow: 'REDIRECT',
      returnUrl: 'https://shop.example.org/back',
      callbackUrl: 'http://127.0.0.1:8080/api/callback/7',
      ...facts,
    }),
    refundOperation: (chargeReference: string, facts: Partial<RefundOperation> = {}): RefundOperation => ({
      ...nextOperation(),
      kind: 'REFUND',
      chargeReference,
      reason: null,
      ...facts,
    }),
    cancelOperation: (charge: ChargeOperation, facts: Partial<CancelOperation> = {}): CancelOperation => {
      const { key: chargeKey, reference: chargeReference, createdMs: chargeCreatedMs } = charge;
      const made = { chargeKey, chargeReference, chargeCreatedMs, chargeCalledMs: charge.calledMs ?? chargeCreatedMs };
      return { ...nextOperation(), kind: 'CANCEL', ...made, ...facts };
    },
    /** Captures some of a charge that was authorized; final, and of all of it, unless `facts` say otherwise. */
    captureOperation: (chargeReference: string, facts: Partial<CaptureOperation> = {}): CaptureOperation => ({
      ...nextOperation(),
      kind: 'CAPTURE',
      chargeKey: 'txn_1-1',
      chargeReference,
      authorizedAmount: 1999,
      capturedBefore: 0,
      isFinal: true,
      ...facts,
    }),
    releaseOperation: (chargeReference: string, facts: Partial<ReleaseOperation> = {}): ReleaseOperation => ({
      ...nextOperation(),
      kind: 'RELEASE',
      chargeKey: 'txn_1-1',
      chargeReference,
      ...facts,
    }),
    setupOperation: (facts: Partial<SetupOperation> = {}): SetupOperation => ({
      kind: 'SETUP',
      key: `mtd_${++count}-1`,
      methodId: `mtd_${count}`,
      customer: {
        reference: null,
        key: `cus_${count}`,
        name: 'Jenny Rosen',
        email: 'jenny@example.org',
        livemode: false,
      },
      token: paymentMethod,
      customerReference: null,
      bankAccount: null,
      type: null,
      agreement: 'SUBSCRIPTION',
      consent: null,
      currency,
      returnUrl: 'https://shop.example.org/back',
      callbackUrl: 'http://127.0.0.1:8080/api/callback/7',
      reference: null,
      createdMs: Date.now(),
      calledMs: null,
      ...facts,
    }),
    /** A call without a deadline, unless the test gives its own signal. */
    callWith: (facts: Partial<Call> = {}): Call => ({
      credentials,
      channelId: 7,
      signal: new AbortController().signal,
      timeoutMs: 30_000,
      ...facts,
    }),
  };
}
