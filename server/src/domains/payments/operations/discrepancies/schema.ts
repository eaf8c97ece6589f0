import { Type } from 'typebox';
import { maximumAmount } from '../../../../core/currency.ts';
import { pageFields, tenantField } from '../../../../platform/http/list-query.ts';
import { idOf, livemode, livemodeFilter, long, nullable, oneLine } from '../../../../platform/http/shapes.ts';
import { discrepancyStates, discrepancySubjects } from './states.ts';

export const discrepancyId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: '`dcp_` and a time-ordered part.',
});

const kind = Type.Enum([...discrepancySubjects], { $id: 'DiscrepancyKind' });

export const discrepancyQuery = Type.Object({ id: discrepancyId });

export const discrepancyListQuery = Type.Object({
  ...pageFields,
  state: Type.Optional(
    Type.Enum([...discrepancyStates], { description: 'Default: those that are not closed, OPEN and DISAGREES.' }),
  ),
  kind: Type.Optional(kind),
  transactionId: Type.Optional(idOf('txn', 'Only discrepancies about this payment.')),
  channelId: Type.Optional(long('Only discrepancies with the provider of this channel.')),
  tenantId: tenantField,
  livemode: livemodeFilter,
});

export const discrepancyCloseInput = Type.Object(
  {
    id: discrepancyId,
    note: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'What was found, for the timeline of the payment.',
    }),
    outcome: Type.Optional(
      Type.Enum(['SUCCEEDED', 'FAILED'], {
        description:
          'Ends a charge or a refund whose outcome is not known, as it is at the provider. ' +
          'Without it the payment stays as it is.',
      }),
    ),
    reference: Type.Optional(
      oneLine({
        maxLength: 255,
        description:
          "With SUCCEEDED, the provider's own id of the charge or refund; required if Florin does not know " +
          'it. Refunds of a charge ' +
          'name it to the provider.',
      }),
    ),
    withdrawn: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maximumAmount,
        description:
          "Of a dispute in another currency: what was withdrawn for it in the payment's currency, in minor units, 0 " +
          'to what was captured. It is booked, and the payment can be refunded again as far as it goes.',
      }),
    ),
  },
  { $id: 'DiscrepancyCloseInput', additionalProperties: false },
);

export const discrepancyRecord = Type.Object(
  {
    id: Type.String(),
    livemode,
    kind,
    transactionId: Type.String(),
    operation: nullable(
      Type.Integer({
        description: 'The number of the provider operation, as the timeline shows it; null: it is about none.',
      }),
    ),
    disputeId: nullable(Type.String({ description: 'The dispute in another currency; null: it is about none.' })),
    channelId: Type.Integer({ description: 'The channel whose provider was asked.' }),
    state: Type.Enum([...discrepancyStates]),
    reported: nullable(
      Type.String({
        description:
          'What the provider reported: `succeeded`, `failed` or `cancelled`; of the other mode also `pending`, ' +
          '`needs_payer` or `changed`. null: it can no longer say what became of the operation.',
      }),
    ),
    reportedLivemode: nullable(
      Type.Boolean({ description: 'The mode that it reported, if it is not that of the payment; otherwise null.' }),
    ),
    amount: nullable(
      Type.Integer({
        description: 'The amount that it reported, in minor units; of OVERDRAWN, how much too much was given back.',
      }),
    ),
    currency: nullable(Type.String({ description: 'The currency that it reported.' })),
    reference: nullable(Type.String({ description: "The provider's own id of the operation." })),
    lookUps: Type.Integer({ description: 'How often the operation has been looked up since.' }),
    openedTime: Type.String(),
    closedTime: nullable(Type.String({ description: 'When the provider agreed, or a user closed it.' })),
    closedBy: nullable(Type.Integer({ description: 'The user who closed it; null: nobody did.' })),
    note: nullable(Type.String({ description: 'What the user found.' })),
  },
  { $id: 'Discrepancy' },
);
