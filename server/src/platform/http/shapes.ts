import { Type } from 'typebox';

/** Shapes that records of every kind share. */

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
    description: 'Anything of yours: at most 16 KiB of JSON, 8 levels, 50 keys. Given back as it was sent.',
  },
);

/** Metadata as it is given back. */
export const keptMetadata = Type.Unsafe<Record<string, unknown> | null>({
  description: 'As it was sent.',
  type: ['object', 'null'],
  additionalProperties: true,
});
