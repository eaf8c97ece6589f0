import { Type } from 'typebox';
import { isoTime } from '../../../core/clock.ts';
import { maximumAmount } from '../../../core/currency.ts';
import { publicId, uuidTimeMs } from '../../../core/id.ts';
import { metadataJson } from '../../../core/metadata.ts';
import { type Principal, tenantOnWire } from '../../../core/principal.ts';
import {
  currencyCode,
  described,
  keptMetadata,
  livemode,
  long,
  metadata,
  nullable,
} from '../../../platform/http/shapes.ts';
import {
  changeFields,
  defineRecord,
  type GivenOf,
  optional,
  pick,
  type RecordOf,
  type RowOf,
  stored,
} from '../../../platform/lists/define-record.ts';
import { tenantIdOnWire } from '../../identity/tenants/schema.ts';
import { keptStatementDescriptor, statementDescriptor } from '../channels/statement-descriptor.ts';
import type { ChannelRow } from '../channels/statements.ts';
import type { SaveMethod } from '../methods/charges.ts';
import { failureFallback, failureRetry } from '../providers/failure-schema.ts';
import { fallbackOf, retryOf } from '../providers/failures.ts';
import type { NextAction } from '../providers/outcome.ts';
import { type Initiator, initiators, type PayerFlow, type Purchase } from '../providers/provider.ts';
import { authorizedAmountOf, type CapturedRow, capturedAmountOf, isAuthorized, reservedAmountOf } from './captured.ts';
import { paymentTokenAssociatedData } from './payment-token.ts';
import { transactionStatus } from './states.ts';

export const amount = Type.Integer({
  minimum: 1,
  maximum: maximumAmount,
  description: 'In minor units (cents), 1 to 9007199254740991.',
});
export const description = Type.String({ maxLength: 2000 });
export const initiator = Type.Enum([...initiators], { $id: 'Initiator' });

/** AUTOMATIC: the money is taken with the charge. MANUAL: it is only reserved, and captured by further requests. */
export const captureMethods = ['AUTOMATIC', 'MANUAL'] as const;
export type CaptureMethod = (typeof captureMethods)[number];
export const captureMethod = Type.Enum([...captureMethods], { $id: 'CaptureMethod' });

const waitingParties = ['PAYER', 'PROVIDER'] as const;

/** Who has to act before a payment goes on. Without a provider, the merchant's updates say what happens. */
function waitingForOf(row: WaitingRow): (typeof waitingParties)[number] | null {
  const { status, provider, next_action } = row;
  if (status !== 'PROCESSING' || provider === null) return null;
  // An authorized payment waits for the merchant, unless a capture or a release is under way.
  if (isAuthorized(row) && reservedAmountOf(row) === 0) return null;
  return next_action === null ? 'PROVIDER' : 'PAYER';
}

type WaitingRow = CapturedRow & { provider: string | null; next_action: NextAction | null };
type FailureOfRow = { failure_code: string | null };

/**
 * A payment: what is shown of it, in answers and in events, and where it is stored. A field that is added here is
 * stored and shown everywhere; the column needs a migration.
 */
export const payment = defineRecord(
  { $id: 'Transaction', alias: 't' },
  {
    id: { shape: Type.String(), column: 'id', sql: 'uuid', shown: (id: string) => publicId('txn', id) },
    // The mode of its channel.
    livemode: { shape: livemode, column: 'livemode', sql: 'boolean' },
    amount: { shape: amount, column: 'amount', sql: 'bigint', given: amount },
    amountRefunded: { shape: Type.Integer(), column: 'amount_refunded', sql: 'bigint', initial: 0 },
    amountDisputed: {
      shape: Type.Integer({ description: 'What disputes have withdrawn and not reinstated.' }),
      column: 'amount_disputed',
      sql: 'bigint',
      initial: null,
      shown: (amount: number | null): number => amount ?? 0,
    },
    captureMethod: {
      shape: described(captureMethod, 'MANUAL: the payment is only authorized, and captured by further requests.'),
      column: 'capture_method',
      sql: 'text',
      initial: null,
      shown: (method: 'MANUAL' | null): CaptureMethod => method ?? 'AUTOMATIC',
    },
    amountAuthorized: {
      shape: Type.Integer({ description: 'What the provider has authorized: the amount, or 0.' }),
      derived: authorizedAmountOf,
    },
    amountCapturable: {
      shape: Type.Integer({ description: 'What can still be captured. Of an AUTOMATIC payment always 0.' }),
      column: 'amount_capturable',
      sql: 'bigint',
      initial: null,
      shown: (amount: number | null): number => amount ?? 0,
    },
    amountCaptured: {
      shape: Type.Integer({ description: 'The money that was taken, before refunds.' }),
      derived: capturedAmountOf,
    },
    captureBefore: {
      shape: nullable(
        Type.String({ description: 'When the authorization ends. Null: the provider has not said, or there is none.' }),
      ),
      column: 'capture_before',
      sql: 'timestamptz',
      initial: null,
    },
    currency: {
      shape: Type.String(),
      column: 'currency',
      sql: 'text',
      given: currencyCode('One that the channel supports.'),
    },
    status: { shape: transactionStatus, column: 'status', sql: 'text', initial: 'PENDING' },
    channelId: {
      shape: Type.Integer(),
      column: 'channel_id',
      sql: 'bigint',
      given: long('The channel that processes the payment.'),
    },
    description: {
      shape: nullable(Type.String()),
      column: 'description',
      sql: 'text',
      given: Type.Optional(description),
    },
    metadata: { shape: keptMetadata, column: 'metadata', sql: 'json', given: Type.Optional(metadata) },
    customerId: {
      shape: nullable(Type.Integer()),
      column: 'customer_id',
      sql: 'bigint',
      given: Type.Optional(long('A customer of this service or of another system.')),
    },
    invoiceId: {
      shape: nullable(Type.Integer()),
      column: 'invoice_id',
      sql: 'bigint',
      given: Type.Optional(
        long('The invoice that this payment pays. The id of an invoice in another system is only stored.'),
      ),
    },
    userId: { shape: Type.Integer({ description: 'The user who created it.' }), column: 'user_id', sql: 'bigint' },
    methodId: {
      shape: nullable(
        Type.String({ description: 'The payment method that is charged, or that the payment has kept: `mtd_…`.' }),
      ),
      column: 'method_id',
      sql: 'uuid',
      shown: (id: string | null) => (id === null ? null : publicId('mtd', id)),
    },
    initiator: {
      shape: described(initiator, 'MERCHANT: the payer is not there (off-session).'),
      column: 'initiator',
      sql: 'text',
    },
    statementDescriptor: {
      shape: keptStatementDescriptor,
      column: 'statement_descriptor',
      sql: 'text',
      given: Type.Optional(statementDescriptor("Default: the plan's, or else the channel's.")),
    },
    failureCode: { shape: nullable(Type.String()), column: 'failure_code', sql: 'text', initial: null },
    failureMessage: { shape: nullable(Type.String()), column: 'failure_message', sql: 'text', initial: null },
    fallback: { shape: failureFallback, derived: (row: FailureOfRow) => fallbackOf(row.failure_code) },
    retry: { shape: failureRetry, derived: (row: FailureOfRow) => retryOf(row.failure_code) },
    providerReference: {
      shape: nullable(Type.String({ description: "The provider's id of the charge." })),
      column: 'provider_reference',
      sql: 'text',
      initial: null,
    },
    nextAction: {
      shape: Type.Unsafe<NextAction | null>({
        description: 'What the payer must do before the payment continues: `type` (`redirect`, `confirm`) and `url`.',
        type: ['object', 'null'],
        additionalProperties: true,
      }),
      column: 'next_action',
      sql: 'json',
      initial: null,
    },
    waitingFor: {
      shape: Type.Union([Type.Enum([...waitingParties]), Type.Null()], {
        description:
          'Who has to act before a `PROCESSING` payment of a channel with a provider goes on: the payer (see ' +
          '`nextAction`), or the provider. Null: nobody, or the channel has no provider.',
      }),
      derived: waitingForOf,
    },
    fraudWarningTime: {
      shape: nullable(
        Type.String({ description: 'When the card network warned that the payment may be disputed as fraud.' }),
      ),
      column: 'fraud_warned_at',
      sql: 'timestamptz',
      initial: null,
    },
    ...changeFields,
    version: { ...changeFields.version, initial: 1 },
  },
  {
    tenant_id: stored<number>('bigint'),
    /** The sum of all refunds that are neither FAILED nor CANCELLED: what can no longer be refunded. */
    amount_refund_held: stored<number>('bigint', 0),
    /** The part of it that refunds made elsewhere take; null: 0. */
    amount_refund_elsewhere: stored<number | null>('bigint', null),
    /** What was captured; null: the amount, once the payment has succeeded (`capturedAmountOf`). */
    amount_captured: stored<number | null>('bigint', null),
    /** The channel's provider when the payment was created. Null: Florin only records, updates change the status. */
    provider: stored<string | null>('text'),
    /** The provider's token, as an older version stored it in clear. */
    payment_method: stored<string | null>('text', null),
    payment_method_sealed: stored<Buffer | null>('bytea'),
    return_url: stored<string | null>('text'),
    payer_flow: stored<PayerFlow>('text'),
    /** What is bought, and who pays, as the creator said; null: nothing was said. */
    purchase: stored<Purchase | null>('json'),
    /** How what the payer pays with is kept; null: it is not. */
    save_method: stored<SaveMethod | null>('json'),
  },
);

export interface PaymentRow extends RowOf<typeof payment> {}
/** A payment in answers and in events. */
export type PaymentRecord = RecordOf<typeof payment>;

/** Fields of a payment that its row in a list has on request. */
export const furtherFields = [
  'amountCaptured',
  'failureMessage',
  'metadata',
  'nextAction',
  'version',
  'updatedTime',
] as const;

const { fields } = payment;

/** A payment as a row of the list. */
export const listedPayment = defineRecord(
  { $id: 'TransactionListItem', alias: 't' },
  {
    ...pick(fields, ['id', 'livemode']),
    tenantId: { shape: Type.Optional(tenantIdOnWire), column: 'tenant_id', sql: 'bigint', shown: tenantOnWire },
    ...pick(fields, ['amount', 'amountRefunded', 'currency', 'status', 'channelId']),
    // A subquery: a join takes PostgreSQL longer to plan, a tenth to a fifth of the whole statement.
    channelName: {
      shape: Type.String(),
      column: 'channel_name',
      sql: 'text',
      select: '(select name from channel where channel.id = t.channel_id)',
    },
    ...pick(fields, ['description', 'customerId', 'invoiceId', 'userId', 'providerReference', 'failureCode']),
    ...pick(fields, ['createdTime']),
    ...optional(pick(fields, furtherFields)),
  },
  { amount_captured: stored<number | null>('bigint', null) },
);

export interface ListedRow extends RowOf<typeof listedPayment> {}
export type ListedPayment = RecordOf<typeof listedPayment>;

/** What callers give of a payment, and what is kept for its provider. */
export interface PaymentInput extends GivenOf<typeof payment> {
  /** The provider's token of the payment method. */
  paymentMethod?: string | null;
  returnUrl?: string | null;
  /** Default: REDIRECT. */
  payerFlow?: PayerFlow;
  purchase?: Purchase | null;
  /** The UUID of the payment method to charge. */
  methodId?: string | null;
  /** Default: PAYER. */
  initiator?: Initiator;
  /** Keep what the payer pays with. */
  save?: SaveMethod | null;
  /** Default: AUTOMATIC. */
  captureMethod?: CaptureMethod;
}

/** A new payment. Its creation time is that of its id. Refuses metadata that is too large. */
export function newPayment(
  input: PaymentInput,
  { livemode, provider, statement_descriptor }: ChannelRow,
  { tenantId, userId }: Pick<Principal, 'tenantId' | 'userId'>,
  id: string,
  seal: (plain: string, associatedData: string) => Buffer,
): PaymentRow {
  metadataJson(input.metadata ?? undefined);
  const token = input.paymentMethod ?? null;
  const time = isoTime(uuidTimeMs(id));
  const row = payment.newRow({
    ...payment.rowGiven(input),
    id,
    tenant_id: tenantId,
    user_id: userId,
    livemode,
    provider,
    payment_method_sealed: token === null ? null : seal(token, paymentTokenAssociatedData(tenantId, id)),
    return_url: input.returnUrl ?? null,
    payer_flow: input.payerFlow ?? 'REDIRECT',
    purchase: input.purchase ?? null,
    method_id: input.methodId ?? null,
    initiator: input.initiator ?? 'PAYER',
    statement_descriptor: input.statementDescriptor ?? statement_descriptor,
    save_method: input.save ?? null,
    created_at: time,
    updated_at: time,
  });
  return input.captureMethod === 'MANUAL' ? { ...row, capture_method: 'MANUAL' } : row;
}
