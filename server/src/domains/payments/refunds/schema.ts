import { Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { listFields, timeFields } from '../../../platform/http/list-query.ts';
import {
  described,
  keptMetadata,
  livemode,
  livemodeFilter,
  metadata,
  nullable,
} from '../../../platform/http/shapes.ts';
import { forTenant, tenantIdOnWire } from '../../identity/tenants/schema.ts';
import { transactionId } from '../transactions/schema.ts';
import { lookedUpFilters, refundFilters } from './list-statements.ts';
import { refundOrigins, refundStatus } from './states.ts';

export const refundInput = Type.Object(
  {
    transactionId,
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maximumAmount,
        description: "In minor units of the payment's currency, 1 to 9007199254740991. Default: all that is left.",
      }),
    ),
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    metadata: Type.Optional(metadata),
    ...forTenant,
  },
  { $id: 'RefundCreateInput', additionalProperties: false },
);

export const refundQuery = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100, description: '`ref_` and a time-ordered part.' }),
});

export const refundListQuery = Type.Object({
  ...listFields,
  ...refundFilters.fields,
  ...lookedUpFilters,
  ...timeFields,
  livemode: livemodeFilter,
});

export const refundRecord = Type.Object(
  {
    id: Type.String(),
    livemode,
    transactionId: Type.String(),
    amount: Type.Integer({ description: 'In minor units.' }),
    currency: Type.String(),
    status: described(refundStatus, 'SUCCESS can still become FAILED: a bank may return the money days later.'),
    reason: nullable(Type.String()),
    metadata: keptMetadata,
    userId: nullable(
      Type.Integer({ description: 'The user who created it; null: Florin did by itself, or it was made elsewhere.' }),
    ),
    origin: Type.Enum([...refundOrigins], { description: 'PROVIDER: made elsewhere, and told by the provider.' }),
    failureCode: nullable(Type.String({ description: 'Why the refund failed.' })),
    failureMessage: nullable(Type.String()),
    providerReference: nullable(Type.String({ description: "The provider's id of the refund." })),
    createdTime: Type.String(),
    updatedTime: Type.String(),
  },
  { $id: 'Refund' },
);

/** A refund as a row of the list. */
export const listedRefund = Type.Object(
  {
    ...refundRecord.properties,
    tenantId: Type.Optional(tenantIdOnWire),
    channelId: Type.Integer({ description: "The payment's channel." }),
    customerId: nullable(Type.Integer({ description: "The payment's customer." })),
  },
  { $id: 'RefundListItem' },
);
