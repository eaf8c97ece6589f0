import { type TSchema, Type } from 'typebox';
import { countryCodes } from '../../core/country.ts';
import { currencyCodes } from '../../core/currency.ts';
import { maximumMetadataKeys } from '../../core/metadata.ts';
import { oneLinePattern } from '../../core/one-line.ts';
import { form } from '../../core/refusal-rules.ts';
import { webAddressFormat } from './validation.ts';

/** Schemas that several kinds of records share. */

export const long = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

/** The same shape, named as it is, with a description of the field. */
export const described = <Shape extends TSchema>(shape: Shape, description: string): Shape => ({
  ...shape,
  description,
});

export const nullable = <
  Shape extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer> | ReturnType<typeof Type.Boolean>,
>(
  shape: Shape,
) => Type.Union([shape, Type.Null()], 'description' in shape ? { description: shape.description as string } : {});

/** A name, or another text of one line: `oneLinePattern`. */
export const oneLine = ({
  minLength = 1,
  maxLength,
  ...options
}: {
  minLength?: number;
  maxLength: number;
  description?: string;
  writeOnly?: true;
}) =>
  Type.String({
    minLength,
    maxLength,
    pattern: oneLinePattern,
    title: form('one_line', { least: minLength, limit: maxLength }),
    ...options,
  });

/**
 * An address to which a payer's browser is sent, or which a page links to: `problemOfWebAddress` finds nothing. Without
 * a user name and password: a payer would see them, and a name before the host can pretend to be the host.
 */
export const webAddress = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 2000,
    pattern: '^https?://[^\\s/?#@\\\\]+([/?#]\\S*)?$',
    format: webAddressFormat,
    // Validators refuse a document with a format that they do not know.
    documented: { format: undefined },
    title: form('web_address'),
    description,
  });

const metadataOptions = {
  additionalProperties: true,
  maxProperties: maximumMetadataKeys,
  title: form('object_of_keys', { limit: maximumMetadataKeys }),
};

export const metadata = Type.Object(
  {},
  {
    ...metadataOptions,
    description:
      'Your own data: at most 16 KiB of JSON, 8 levels, 50 keys, numbers up to 2^53 − 1. Returned as it was sent.',
  },
);

/** In the body of an update. */
export const metadataChange = {
  metadata: Type.Optional(
    Type.Object(
      {},
      {
        ...metadataOptions,
        description:
          'Keys of your own data to set; null deletes a key, and other keys stay. ' +
          'At most 16 KiB of JSON, 8 levels and 50 keys in all, and numbers up to 2^53 − 1.',
      },
    ),
  ),
  metadataReplace: Type.Optional(
    Type.Object(
      {},
      {
        ...metadataOptions,
        description: 'Your own data, replaced as a whole. Only in an update, not together with `metadata`.',
      },
    ),
  ),
};

/** The description of the body of an update. */
export const changesSomething = 'At least one field besides `id` is needed.';

/**
 * A country (ISO 3166-1 alpha-2). By pattern: an enumeration of 249 codes would fill the reference and every refusal.
 */
export const country = Type.String({
  pattern: `^(${countryCodes.join('|')})$`,
  title: form('country_code'),
});

/** A currency in requests (ISO 4217), by pattern for the same reason. */
export const currencyCode = (description?: string) =>
  Type.String({
    pattern: `^(${currencyCodes.join('|')})$`,
    title: form('currency_code'),
    ...(description !== undefined && { description }),
  });

/** The public id of a record (`publicId`) in requests that refuse what cannot be one. */
export const idOf = (prefix: string, description: string) =>
  Type.String({
    pattern: `^${prefix}_[0-9a-f]{32}$`,
    title: form('id_such_as', { example: `${prefix}_…` }),
    description,
  });

/** The fields of a postal address, without the name. */
export const addressFields = {
  line1: Type.Optional(oneLine({ minLength: 0, maxLength: 200 })),
  line2: Type.Optional(oneLine({ minLength: 0, maxLength: 200 })),
  postalCode: Type.Optional(oneLine({ minLength: 0, maxLength: 40 })),
  city: Type.Optional(oneLine({ minLength: 0, maxLength: 200 })),
  state: Type.Optional(oneLine({ minLength: 0, maxLength: 200 })),
  country: Type.Optional(country),
};

/** A postal address; null clears it. */
export const address = Type.Union([Type.Object(addressFields, { additionalProperties: false }), Type.Null()], {
  title: form('address_or_null'),
  description:
    '`line1`, `line2`, `city` and `state` of at most 200 characters, `postalCode` of at most 40, and `country`, an ' +
    'ISO 3166-1 alpha-2 code such as US. All are optional; an update replaces the whole address. null clears it.',
});

/** Addresses in answers. */
export const keptAddress = Type.Unsafe<Record<string, string> | null>({
  description: 'As it was sent.',
  type: ['object', 'null'],
  additionalProperties: true,
});

export const updatedTime = Type.String({ description: 'Equal to `createdTime` when never updated.' });

/**
 * Options of a body that creates a record without `id` and updates the record with this `id`: these fields are required
 * to create, and kept by an update without them.
 */
export const requiredToCreate = (fields: readonly string[]) => ({
  if: { required: ['id'] },
  else: { required: [...fields] },
});

/** Such a body without `id`, which validation has found complete. */
export type Creation<Input, Fields extends readonly (keyof Input)[]> = Input & Required<Pick<Input, Fields[number]>>;
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
      description:
        'Whether it is live (true) or for tests (false); never changes. Default: ' +
        `the mode of the key; for a session ${otherwise}.`,
    }),
  );

/** Metadata in answers. */
export const keptMetadata = Type.Unsafe<Record<string, unknown> | null>({
  description: 'As it was sent.',
  type: ['object', 'null'],
  additionalProperties: true,
});
