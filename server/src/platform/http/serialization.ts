import fastJsonStringify, { type AnySchema } from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import { atFirstUse } from './first-use.ts';

/** The serializer of a route's answers. */
export const compileSerializer: FastifySerializerCompiler<AnySchema> = ({ schema }) => {
  const serialize = atFirstUse(() => fastJsonStringify(schema));
  return (value) => serialize()(value);
};
