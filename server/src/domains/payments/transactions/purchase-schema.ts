import { Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { addressFields, oneLine } from '../../../platform/http/shapes.ts';

const amount = (description: string) =>
  Type.Integer({ minimum: -maximumAmount, maximum: maximumAmount, description: `In minor units. ${description}` });

const lineInput = Type.Object(
  {
    description: Type.String({ minLength: 1, maxLength: 500 }),
    quantity: Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: '1 to 1000000000.' }),
    unitAmount: amount('The price of one unit; a negative price is a credit.'),
    taxRate: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10_000, description: 'In basis points, 0 to 10000: 1900 is 19 %.' }),
    ),
    taxAmount: Type.Optional(amount('The tax of the line, instead of a rate.')),
  },
  { $id: 'InvoiceLineInput', additionalProperties: false },
);

export const lines = Type.Array(lineInput, {
  minItems: 1,
  maxItems: 200,
  description: 'Each with `description`, `quantity`, `unitAmount` and, for a taxed line, `taxRate` or `taxAmount`.',
});

/** Who pays: a postal address with a name and an e-mail address. */
export const billingAddress = Type.Object(
  {
    name: Type.Optional(oneLine({ maxLength: 200 })),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
    ...addressFields,
  },
  { additionalProperties: false },
);
