import { Type } from 'typebox';

/** Schemas that several kinds of records share. */

export const long = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

export const nullable = <Shape extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  shape: Shape,
) => Type.Union([shape, Type.Null()], 'description' in shape ? { description: shape.description as string } : {});

export const metadata = Type.Object(
  {},
  {
    additionalProperties: true,
    maxProperties: 50,
    title: 'an object of at most 50 keys',
    description: 'Your own data: at most 16 KiB of JSON, 8 levels, 50 keys. Returned as it was sent.',
  },
);

const addressFields = {
  line1: Type.Optional(Type.String({ maxLength: 200 })),
  line2: Type.Optional(Type.String({ maxLength: 200 })),
  postalCode: Type.Optional(Type.String({ maxLength: 40 })),
  city: Type.Optional(Type.String({ maxLength: 200 })),
  state: Type.Optional(Type.String({ maxLength: 200 })),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2,3}$', title: 'an ISO 3166 country code, such as US' })),
};

/** A postal address; null clears it. */
export const address = Type.Union([Type.Object(addressFields, { additionalProperties: false }), Type.Null()], {
  title: 'an address, or null',
  description:
    '`line1`, `line2`, `city` and `state` of at most 200 characters, `postalCode` of at most 40, and `country`, an ' +
    'ISO 3166 code such as US. All are optional; an update replaces the whole address. null clears it.',
});

/** Addresses in answers. */
export const keptAddress = Type.Unsafe<Record<string, string> | null>({
  description: 'As it was sent.',
  type: ['object', 'null'],
  additionalProperties: true,
});

/** In answers: the mode of a record. */
export const livemode = Type.Boolean({ description: 'true: live. false: a test record.' });

/** Query parameter of lists and sums: `visibleModes` says what it means. */
export const livemodeFilter = Type.Optional(
  Type.Boolean({
    description: 'true: live records. false: test records. Default: the mode of the key; live for a session.',
  }),
);

/** Input of new records: `livemodeOfNew` says what it means. */
export const livemodeInput = (otherwise: string) =>
  Type.Optional(
    Type.Boolean({
      description: `Whether it is live (true) or for tests (false); never changes. Default: the mode of the key; for a session ${otherwise}.`,
    }),
  );

/** Metadata in answers. */
export const keptMetadata = Type.Unsafe<Record<string, unknown> | null>({
  description: 'As it was sent.',
  type: ['object', 'null'],
  additionalProperties: true,
});
