import { type Static, Type } from 'typebox';
import { listFields, timeFields } from '../../../platform/http/list-query.ts';
import { livemodeFilter, long, metadata, oneLine, webAddress } from '../../../platform/http/shapes.ts';
import { forTenant, tenantIdOnWire } from '../../identity/tenants/schema.ts';
import { methodFilters } from './list-statements.ts';
import { agreement, method, methodType } from './record.ts';

export const methodId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: '`mtd_` and a time-ordered part.',
});

/** Who agreed to later charges, from where and when. */
export const consentInput = Type.Object(
  {
    ipAddress: Type.String({ minLength: 2, maxLength: 45, description: "The payer's IP address." }),
    userAgent: oneLine({ maxLength: 1000, description: "The payer's browser." }),
    acceptedTime: Type.String({ format: 'date-time', description: 'When the payer agreed, in ISO 8601.' }),
  },
  { additionalProperties: false },
);

export const setupInput = Type.Object(
  {
    customerId: long('The customer who can be charged with it.'),
    channelId: long('The channel whose provider keeps it.'),
    token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        writeOnly: true,
        description: "A token of the provider's own form (Stripe: `pm_…`). Without one, `nextAction` leads the payer.",
      }),
    ),
    customerReference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        writeOnly: true,
        description:
          "The provider's id of its customer (Stripe: `cus_…`), if the provider keeps the `token` (Stripe: `pm_…`, " +
          '`card_…`, `src_…`) for that customer already. The method is only read at the provider, and nothing is ' +
          'asked of the payer. A method that is known here already is the answer.',
      }),
    ),
    bankAccount: Type.Optional(
      Type.Object(
        {
          holder: oneLine({ maxLength: 200 }),
          iban: Type.String({ minLength: 15, maxLength: 42, pattern: '^[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 ]+$' }),
        },
        {
          additionalProperties: false,
          writeOnly: true,
          description: 'The account of a SEPA direct debit, instead of a token. Needs `consent`.',
        },
      ),
    ),
    type: Type.Optional(methodType),
    returnUrl: Type.Optional(
      webAddress(
        "Where the payer's browser is redirected after the provider's page. " +
          'Default: a page that says what became of it.',
      ),
    ),
    isDefault: Type.Optional(
      Type.Boolean({
        description:
          'Whether it becomes the default of the customer once it is ACTIVE. Default: where the customer has none.',
      }),
    ),
    consent: Type.Optional(consentInput),
    agreement: Type.Optional(agreement),
    metadata: Type.Optional(metadata),
    ...forTenant,
  },
  { $id: 'PaymentMethodSetupInput', additionalProperties: false },
);

export type SetupInput = Static<typeof setupInput>;

export const defaultInput = Type.Object(
  { id: methodId, ...forTenant },
  { $id: 'PaymentMethodDefaultInput', additionalProperties: false },
);

export const detachInput = Type.Object(
  {
    id: methodId,
    replaceWith: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Another method of the customer, for the subscriptions that name this one.',
      }),
    ),
    ...forTenant,
  },
  { $id: 'PaymentMethodDetachInput', additionalProperties: false },
);

export const methodQuery = Type.Object({ id: methodId });

export const methodListQuery = Type.Object({
  ...listFields,
  ...methodFilters.fields,
  ...timeFields,
  livemode: livemodeFilter,
});

export const methodRecord = method.shape;

/** A payment method as a row of the list. */
export const listedMethod = Type.Object(
  { ...method.shape.properties, tenantId: Type.Optional(tenantIdOnWire) },
  { $id: 'PaymentMethodListItem' },
);
