import { Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { publicId } from '../../../core/id.ts';
import { livemode, nullable } from '../../../platform/http/shapes.ts';
import {
  changeFields,
  defineRecord,
  type RecordOf,
  type RowOf,
  stored,
} from '../../../platform/lists/define-record.ts';
import type { ProviderName } from '../providers/directory.ts';
import type { DisputeAction, DisputeStatus } from '../providers/dispute.ts';
import { disputeAction, disputeReason, disputeStage, disputeStatus } from './states.ts';

const evidenceField = Type.Object(
  {
    name: Type.String(),
    kind: Type.Enum(['TEXT', 'FILE']),
    required: Type.Boolean(),
    maxCharacters: Type.Optional(Type.Integer()),
    fileTypes: Type.Optional(Type.Array(Type.String())),
    maxBytes: Type.Optional(Type.Integer()),
    maxPages: Type.Optional(Type.Integer({ description: 'Of a PDF.' })),
  },
  { $id: 'DisputeEvidenceField' },
);

const time = (description: string) => nullable(Type.String({ description }));

/** Only an OPEN dispute can be answered. */
const actionsOf = ({ status, actions }: { status: DisputeStatus; actions: DisputeAction[] }): DisputeAction[] =>
  status === 'OPEN' ? actions : [];

const feeOf = ({ fee, fee_currency }: { fee: number | null; fee_currency: string | null }) =>
  fee === null || fee_currency === null ? null : { amount: fee, currency: fee_currency };

/** The draft of the evidence: by name a text, or the UUID of a file. */
export type DraftEvidence = Readonly<Record<string, string | { file: string }>>;

/** A dispute: what is shown of it, in answers and in events, and where it is stored. */
export const dispute = defineRecord(
  { $id: 'Dispute', alias: 'd' },
  {
    id: { shape: Type.String(), column: 'id', sql: 'uuid', shown: (id: string) => publicId('dsp', id) },
    // The mode of its channel.
    livemode: { shape: livemode, column: 'livemode', sql: 'boolean' },
    transactionId: {
      shape: Type.String({ description: 'The payment. A dispute over several payments is one record for each.' }),
      column: 'transaction_id',
      sql: 'uuid',
      shown: (id: string) => publicId('txn', id),
    },
    channelId: {
      shape: Type.Integer({ description: 'The channel that took the money.' }),
      column: 'channel_id',
      sql: 'bigint',
    },
    providerReference: {
      shape: Type.String({ description: "The provider's id of it, or of what came back." }),
      column: 'provider_reference',
      sql: 'text',
    },
    stage: { shape: disputeStage, column: 'stage', sql: 'text' },
    status: { shape: disputeStatus, column: 'status', sql: 'text' },
    amount: {
      shape: Type.Integer({ minimum: 0, maximum: maximumAmount, description: 'What is at stake, in minor units.' }),
      column: 'amount',
      sql: 'bigint',
    },
    currency: { shape: Type.String(), column: 'currency', sql: 'text' },
    amountWithdrawn: {
      shape: Type.Integer({
        description: "What the provider has withdrawn for it and not reinstated, in the payment's currency.",
      }),
      column: 'amount_withdrawn',
      sql: 'bigint',
    },
    fee: {
      shape: Type.Union([Type.Object({ amount: Type.Integer(), currency: Type.String() }), Type.Null()], {
        description: 'What the provider charges for it; null: it does not tell.',
      }),
      derived: feeOf,
    },
    reason: { shape: disputeReason, column: 'reason', sql: 'text' },
    providerReason: {
      shape: nullable(Type.String({ description: "The provider's word." })),
      column: 'provider_reason',
      sql: 'text',
    },
    respondBy: {
      shape: time('When an answer is due; null: it cannot be answered.'),
      column: 'respond_by',
      sql: 'timestamptz',
    },
    submittedTime: { shape: time('When evidence was last submitted.'), column: 'submitted_at', sql: 'timestamptz' },
    closedTime: { shape: time('When the provider decided.'), column: 'closed_at', sql: 'timestamptz' },
    actions: {
      shape: Type.Array(disputeAction, { description: 'What the provider takes now.' }),
      derived: actionsOf,
    },
    evidenceFields: {
      shape: Type.Array(evidenceField, { description: 'What it takes as evidence.' }),
      column: 'evidence_fields',
      sql: 'json',
    },
    defenseReasons: {
      shape: Type.Array(Type.String(), { description: 'Reasons of which one must be chosen; empty: none.' }),
      column: 'defense_reasons',
      sql: 'json',
    },
    failureCode: {
      shape: nullable(Type.String({ description: 'Why the provider refused the last answer.' })),
      column: 'failure_code',
      sql: 'text',
    },
    ...changeFields,
  },
  {
    tenant_id: stored<number>('bigint'),
    provider: stored<ProviderName>('text'),
    fee: stored<number | null>('bigint'),
    fee_currency: stored<string | null>('text'),
    actions: stored<DisputeAction[]>('json'),
    /** The draft. */
    evidence: stored<DraftEvidence>('json'),
    /** What it has taken from what its payment had paid of an invoice. */
    amount_unpaid: stored<number>('bigint'),
    /** Of how many days before `respond_by` it was told last. */
    days_told: stored<number | null>('int'),
    due_at: stored<string | null>('timestamptz'),
    read_at: stored<string>('timestamptz'),
    read_due_at: stored<string | null>('timestamptz'),
  },
);

export interface DisputeRow extends RowOf<typeof dispute> {}
/** A dispute in answers and in events. */
export type DisputeRecord = RecordOf<typeof dispute>;
