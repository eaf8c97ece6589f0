import { type Static, Type } from 'typebox';
import { furtherFields, listFields, timeFields } from '../../../platform/http/list-query.ts';
import {
  changesSomething,
  described,
  livemodeFilter,
  metadataChange,
  oneLine,
  webAddress,
} from '../../../platform/http/shapes.ts';
import { forTenant } from '../../identity/tenants/schema.ts';
import { agreement } from '../methods/record.ts';
import { consentInput } from '../methods/schema.ts';
import { payerFlows } from '../providers/provider.ts';
import { captureRecord } from './capture-record.ts';
import { lookedUpFilters, transactionFilters } from './list/filter-statements.ts';
import { billingAddress, lines } from './purchase-schema.ts';
import {
  captureMethod,
  description,
  furtherFields as furtherRowFields,
  initiator,
  listedPayment,
  payment,
} from './record.ts';
import { transactionStatus } from './states.ts';

export const transactionId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: '`txn_` and a time-ordered part.',
});

export const createInput = Type.Object(
  {
    ...payment.given,
    paymentMethod: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        writeOnly: true,
        description: "The provider's token of the payment method (Stripe: `pm_…`). Without one, the payer chooses.",
      }),
    ),
    methodId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'The payment method to charge, instead of `paymentMethod`. It decides the customer and the channel.',
      }),
    ),
    initiator: Type.Optional(
      described(initiator, 'MERCHANT: the payer is not there (off-session). Needs `methodId`. Default: PAYER.'),
    ),
    captureMethod: Type.Optional(
      described(
        captureMethod,
        'MANUAL: the provider only authorizes the amount, and `POST /api/transaction/capture` takes it. ' +
          'Default: AUTOMATIC.',
      ),
    ),
    saveMethod: Type.Optional(
      Type.Boolean({
        description:
          'Keeps what the payer pays with as a payment method of `customerId`, once the payment has succeeded.',
      }),
    ),
    isDefault: Type.Optional(
      Type.Boolean({
        description:
          'With `saveMethod`: whether the method becomes the default of the customer. Default: where there is none.',
      }),
    ),
    consent: Type.Optional(consentInput),
    agreement: Type.Optional(agreement),
    lines: Type.Optional(
      described(
        lines,
        'What is bought, for methods of the provider that need it. Adds up to `amount`, with taxes. ' +
          'Default: the lines of the invoice.',
      ),
    ),
    billingAddress: Type.Optional(
      described(
        billingAddress,
        "Who pays, for methods of the provider that need it: `name`, `email` and an address. Default: the customer's.",
      ),
    ),
    payerFlow: Type.Optional(
      Type.Enum([...payerFlows], {
        description:
          'Where the payer pays who has to choose a method. REDIRECT: on a page of the provider (`nextAction` is a ' +
          "redirect). EMBEDDED: in the merchant's own page, with the provider's script (`nextAction` is `confirm`), " +
          'at providers that have one: Stripe. Default: REDIRECT.',
      }),
    ),
    returnUrl: Type.Optional(
      webAddress(
        "Where the payer's browser is redirected after the provider's page. " +
          'Default: a page that says what became of it.',
      ),
    ),
    ...forTenant,
  },
  { $id: 'TransactionCreateInput', additionalProperties: false },
);

export type CreateInput = Static<typeof createInput>;

export const updateInput = Type.Object(
  {
    id: transactionId,
    status: Type.Optional(transactionStatus),
    description: Type.Optional(description),
    ...metadataChange,
    failureCode: Type.Optional(oneLine({ maxLength: 100, description: 'Only with status FAILED.' })),
    failureMessage: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1000, description: 'Only with status FAILED.' }),
    ),
  },
  { $id: 'TransactionUpdateInput', additionalProperties: false, description: changesSomething },
);

export const detailQuery = Type.Object({ id: transactionId });

export const listQuery = Type.Object({
  ...listFields,
  ...transactionFilters.fields,
  ...lookedUpFilters,
  ...timeFields,
  livemode: livemodeFilter,
  fields: furtherFields(furtherRowFields),
});

/** A payment in the responses of create and update, and in events. */
export const transactionRecord = payment.shape;

export const transactionDetail = Type.Object(
  {
    ...payment.shape.properties,
    channelName: Type.String(),
    captures: Type.Array(captureRecord, {
      description: 'The captures of a MANUAL payment, the oldest first; of an AUTOMATIC one none.',
    }),
  },
  { $id: 'TransactionDetail' },
);

/** A payment as a row of the list. */
export const listedTransaction = listedPayment.shape;
