import { Type } from 'typebox';
import { countryCodes } from '../../core/country.ts';

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

/** A country (ISO 3166-1 alpha-2). By pattern: an enumeration of 249 codes would fill the reference and every refusal. */
export const country = Type.String({
  pattern: `^(${countryCodes.join('|')})$`,
  title: 'a country code of ISO 3166-1 alpha-2, such as US',
});

export const updatedTime = Type.String({ description: 'Equal to `createdTime` when never updated.' });

/** Metadata in answers. */
export const keptMetadata = Type.Unsafe<Record<string, unknown> | null>({
  description: 'As it was sent.',
  type: ['object', 'null'],
  additionalProperties: true,
});
