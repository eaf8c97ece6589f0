import fastJsonStringify, { type AnySchema } from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';
import { atFirstUse } from './first-use.ts';

const serializerOf = atFirstUse((schema: AnySchema & object) => fastJsonStringify(schema));

/** The serializer of a route's answers. */
export const compileSerializer: FastifySerializerCompiler<AnySchema & object> =
  ({ schema }) =>
  (value) =>
    serializerOf(schema)(value);
