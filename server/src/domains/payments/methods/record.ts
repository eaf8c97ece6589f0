import { Type } from 'typebox';
import { publicId } from '../../../core/id.ts';
import { keptMetadata, livemode, nullable } from '../../../platform/http/shapes.ts';
import {
  changeFields,
  defineRecord,
  type RecordOf,
  type RowOf,
  stored,
} from '../../../platform/lists/define-record.ts';
import type { ProviderName } from '../providers/directory.ts';
import { agreements, type Consent, methodTypes } from '../providers/kept-method.ts';
import type { NextAction } from '../providers/outcome.ts';
import { methodStatus } from './states.ts';

export const methodType = Type.Enum([...methodTypes], { $id: 'PaymentMethodType' });
export const agreement = Type.Enum([...agreements], { $id: 'PaymentMethodAgreement' });

const text = (description?: string) => nullable(Type.String(description === undefined ? {} : { description }));

/** A payment method: what is shown of it, in answers and in events, and where it is stored. */
export const method = defineRecord(
  { $id: 'PaymentMethod', alias: 'm' },
  {
    id: { shape: Type.String(), column: 'id', sql: 'uuid', shown: (id: string) => publicId('mtd', id) },
    // The mode of its channel.
    livemode: { shape: livemode, column: 'livemode', sql: 'boolean' },
    customerId: { shape: Type.Integer(), column: 'customer_id', sql: 'bigint' },
    channelId: {
      shape: Type.Integer({ description: 'The channel whose provider keeps it. Only that channel can charge it.' }),
      column: 'channel_id',
      sql: 'bigint',
    },
    type: { shape: methodType, column: 'type', sql: 'text' },
    providerType: { shape: text("The provider's word for the type."), column: 'provider_type', sql: 'text' },
    brand: { shape: text(), column: 'brand', sql: 'text' },
    last4: { shape: text('The last four digits of the card or account.'), column: 'last4', sql: 'text' },
    expiryMonth: { shape: nullable(Type.Integer()), column: 'expiry_month', sql: 'int' },
    expiryYear: { shape: nullable(Type.Integer()), column: 'expiry_year', sql: 'int' },
    bankName: { shape: text(), column: 'bank_name', sql: 'text' },
    country: { shape: text('ISO 3166-1 alpha-2.'), column: 'country', sql: 'text' },
    fingerprint: {
      shape: text('Equal for the same card or account at the same provider account.'),
      column: 'fingerprint',
      sql: 'text',
    },
    mandateReference: {
      shape: text("What the payer's bank shows of a debit's mandate."),
      column: 'mandate_reference',
      sql: 'text',
    },
    mandateUrl: { shape: text(), column: 'mandate_url', sql: 'text' },
    agreement: { shape: agreement, column: 'agreement', sql: 'text' },
    status: { shape: methodStatus, column: 'status', sql: 'text' },
    isDefault: {
      shape: Type.Boolean({ description: 'At most one method of a customer is the default.' }),
      column: 'is_default',
      sql: 'boolean',
    },
    nextAction: {
      shape: Type.Unsafe<NextAction | null>({
        description: 'What the payer must do before the method can be charged: `type` (`redirect`, `confirm`), `url`.',
        type: ['object', 'null'],
        additionalProperties: true,
      }),
      column: 'next_action',
      sql: 'json',
    },
    failureCode: { shape: text('The last definite failure.'), column: 'failure_code', sql: 'text' },
    metadata: { shape: keptMetadata, column: 'metadata', sql: 'json' },
    ...changeFields,
  },
  {
    tenant_id: stored<number>('bigint'),
    provider: stored<ProviderName>('text'),
    /** Whether it becomes the default once it is ACTIVE; null: where the customer has none. */
    wants_default: stored<boolean | null>('boolean'),
    consent: stored<Consent | null>('json'),
    /** `KeptReference`, sealed. */
    reference_sealed: stored<Buffer | null>('bytea'),
    reference_digest: stored<Buffer | null>('bytea'),
    /** `MethodSource`, sealed, until the setup has ended. */
    source_sealed: stored<Buffer | null>('bytea'),
    /** `source_sealed` is a token that an earlier release has sealed for the record of the customer. */
    sealed_for_customer: stored<boolean>('boolean'),
    /** A token that an earlier release had stored in clear. */
    source_plain: stored<string | null>('text'),
    return_url: stored<string | null>('text'),
    /** The month (YYYY-MM) of which `payment_method.expiring` was sent. */
    expiring_told: stored<string | null>('text'),
    expiry_due_at: stored<string | null>('timestamptz'),
    read_due_at: stored<string | null>('timestamptz'),
  },
);

export interface MethodRow extends RowOf<typeof method> {}
/** A payment method in answers and in events. */
export type MethodRecord = RecordOf<typeof method>;

/** A method of which nothing is known yet. */
export const emptyMethod = {
  provider_type: null,
  brand: null,
  last4: null,
  expiry_month: null,
  expiry_year: null,
  bank_name: null,
  country: null,
  fingerprint: null,
  mandate_reference: null,
  mandate_url: null,
  is_default: false,
  wants_default: null,
  next_action: null,
  failure_code: null,
  metadata: null,
  version: 1,
  consent: null,
  reference_sealed: null,
  reference_digest: null,
  source_sealed: null,
  sealed_for_customer: false,
  source_plain: null,
  return_url: null,
  expiring_told: null,
  expiry_due_at: null,
  read_due_at: null,
} as const;
