import { Type } from 'typebox';
import { listFields, timeFields } from '../../../platform/http/list-query.ts';
import { livemodeFilter, nullable } from '../../../platform/http/shapes.ts';
import { tenantIdOnWire } from '../../identity/tenants/schema.ts';
import { disputeFilters, lookedUpFilters } from './list-statements.ts';
import { dispute } from './record.ts';

export const disputeId = Type.String({ minLength: 1, maxLength: 100, description: '`dsp_` and a time-ordered part.' });

export const disputeQuery = Type.Object({ id: disputeId });

export const disputeListQuery = Type.Object({
  ...listFields,
  ...disputeFilters.fields,
  ...lookedUpFilters,
  ...timeFields,
  livemode: livemodeFilter,
});

export const disputeRecord = dispute.shape;

/** A dispute as a row of the list. */
export const listedDispute = Type.Object(
  {
    ...dispute.shape.properties,
    tenantId: Type.Optional(tenantIdOnWire),
    customerId: nullable(Type.Integer({ description: "The payment's customer." })),
  },
  { $id: 'DisputeListItem' },
);

export const evidenceInput = Type.Object(
  {
    id: disputeId,
    evidence: Type.Unsafe<Record<string, string | null>>({
      type: 'object',
      maxProperties: 100,
      additionalProperties: { type: ['string', 'null'], minLength: 1, maxLength: 60_000 },
      description: 'Texts by the name of their field; null clears a text or a file.',
    }),
  },
  { $id: 'DisputeEvidenceInput', additionalProperties: false },
);

export const fileQuery = Type.Object({
  id: disputeId,
  name: Type.String({ minLength: 1, maxLength: 100, description: 'The field of the evidence that the file is for.' }),
});

export const submitInput = Type.Object(
  {
    id: disputeId,
    defenseReason: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'One of `defenseReasons`; required if there are any.' }),
    ),
  },
  { $id: 'DisputeSubmitInput', additionalProperties: false },
);

export const acceptInput = Type.Object({ id: disputeId }, { $id: 'DisputeAcceptInput', additionalProperties: false });

/** The object of `dispute.due_soon`. */
export const disputeDueSoon = Type.Object(
  {
    ...dispute.shape.properties,
    daysLeft: Type.Integer({ description: 'How many days are left to answer, 3 or 1.' }),
  },
  { $id: 'DisputeDueSoon' },
);
