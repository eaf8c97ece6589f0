import { Type } from 'typebox';
import { nullable } from '../../../platform/http/shapes.ts';
import { retries } from './failures.ts';

export const retry = Type.Enum([...retries], { $id: 'Retry' });

export const failureFallback = nullable(
  Type.Boolean({
    description:
      'Whether another channel may accept the payment, by `failureCode`. Null: none, or one of the merchant.',
  }),
);
export const failureRetry = Type.Union([Type.Enum([...retries]), Type.Null()], {
  description:
    'What may be done again, by `failureCode`: `LATER` the same, `OTHER_METHOD` only with another payment method, ' +
    '`WITH_PAYER` only with the payer, `NEVER` nothing. Null: no `failureCode`, or one of the merchant.',
});
