import { Type } from 'typebox';
import { described } from '../../../platform/http/shapes.ts';
import { captureRecord } from '../transactions/capture-record.ts';
import { amount, payment } from '../transactions/record.ts';
import { transactionId } from '../transactions/schema.ts';

export const captureInput = Type.Object(
  {
    id: transactionId,
    amount: Type.Optional(
      described(amount, 'In minor units, 1 to 9007199254740991. Default: all that can still be captured.'),
    ),
    final: Type.Optional(
      Type.Boolean({
        description:
          'Whether nothing is captured afterwards: what is left is released. A capture of all that is left is final ' +
          'anyway. false needs a channel with `capture` MULTIPLE. Default: true.',
      }),
    ),
  },
  { $id: 'TransactionCaptureInput', additionalProperties: false },
);

export const releaseInput = Type.Object(
  { id: transactionId },
  { $id: 'TransactionReleaseInput', additionalProperties: false },
);

/** The object of `transaction.captured` and `transaction.capture_failed`. */
export const transactionWithCapture = Type.Object(
  { ...payment.shape.properties, capture: captureRecord },
  { $id: 'TransactionWithCapture' },
);
