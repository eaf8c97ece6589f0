import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { invalid, Refusal } from '../../core/errors.ts';
import { problemOfWebAddress } from '../../core/web-address.ts';
import { atFirstUse } from './first-use.ts';
import { nearestName } from './nearest-name.ts';
import { nullsRemoverOf } from './nulls.ts';

/** A format of our own: what the pattern beside it cannot express. */
export const webAddressFormat = 'web-address';

const strict = ajv({ coerceTypes: false });
/** A query string holds only text: "20" must be able to mean 20 there, and nowhere else. */
const fromText = ajv({ coerceTypes: true });

function ajv(options: { coerceTypes: boolean }): Ajv {
  const instance = new Ajv({
    ...options,
    removeAdditional: false,
    useDefaults: true,
    allErrors: false,
    verbose: true,
    strict: false,
  });
  (addFormats as unknown as (target: Ajv) => void)(instance);
  instance.addFormat(webAddressFormat, (text: string) => problemOfWebAddress(text) === undefined);
  return instance;
}

const validatorOfBody = atFirstUse((schema: TSchema): ValidateFunction => strict.compile(schema));
const validatorOfText = atFirstUse((schema: TSchema): ValidateFunction => fromText.compile(schema));

/** Compiles a route's shapes; a value that does not fit is refused with the field to blame and what it must be. */
export const compileSchema: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validatorOf = httpPart === 'body' ? validatorOfBody : validatorOfText;
  const removeNulls = httpPart === 'body' ? nullsRemoverOf(schema) : undefined;
  const integers = httpPart === 'querystring' ? integersOf(schema) : [];
  return (value: unknown) => {
    removeNulls?.(value);
    for (const name of integers) {
      if (!isInteger((value as Record<string, unknown>)[name]))
        return { error: invalid(name, `${name} must be an integer.`) };
    }
    const validate = validatorOf(schema);
    if (validate(value)) return { value };
    return {
      error: refusalOf(validate.errors?.[0] as ErrorObject, httpPart === 'querystring' ? 'query' : 'body', schema),
    };
  };
};

function integersOf(schema: TSchema): string[] {
  const properties = Object.entries((schema as { properties?: Record<string, { type?: string }> }).properties ?? {});
  return properties.filter(([, { type }]) => type === 'integer').map(([name]) => name);
}

/** Digits only: 9007199254740991.4 would count as an integer, because a double rounds it to one. */
function isInteger(text: unknown): boolean {
  return typeof text !== 'string' || /^-?\d+$/.test(text);
}

type Part = 'query' | 'body';

function refusalOf(error: ErrorObject, part: Part, schema: TSchema): Refusal {
  if (error.instancePath === '' && error.keyword === 'type') {
    return new Refusal('invalid_request', `The ${part} must be a JSON object.`);
  }
  const at = error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword === 'required') {
    // A misspelt name leaves the right one missing; the caller sees only the misspelt one.
    const shape = shapeAround(error, schema);
    const unknown = unknownNameIn(error.data, shape);
    if (unknown !== undefined) return unknownField(at, unknown, shape, part);
    const field = join(at, error.params.missingProperty);
    return invalid(field, `${field} is required.`);
  }
  if (error.keyword === 'additionalProperties') {
    return unknownField(at, error.params.additionalProperty, error.parentSchema as Shape, part);
  }
  return invalid(at, `${at} ${requirementOf(error)}.`);
}

interface Shape {
  properties?: Record<string, unknown>;
  additionalProperties?: unknown;
}

/**
 * The shape that lacks a field. What a body needs to create a record (`requiredToCreate`) is in a part without
 * properties.
 */
function shapeAround({ instancePath, parentSchema = {} }: ErrorObject, schema: TSchema): Shape {
  return instancePath === '' && !('properties' in parentSchema) ? (schema as Shape) : (parentSchema as Shape);
}

function unknownNameIn(data: unknown, { properties = {}, additionalProperties }: Shape): string | undefined {
  if (additionalProperties !== false) return undefined;
  return Object.keys(data as object).find((name) => !Object.hasOwn(properties, name));
}

/** Refuses a name that the request does not have, and suggests the nearest one, or else all of them. */
function unknownField(at: string, name: string, { properties = {} }: Shape, part: Part): Refusal {
  const field = join(at, name);
  const known = Object.keys(properties);
  const noun = part === 'query' ? 'query parameter' : 'field';
  return invalid(field, `${readable(field)} is not a ${noun} of this request. ${hintOf(name, known, noun)}`);
}

function hintOf(name: string, known: readonly string[], noun: string): string {
  const meant = nearestName(name, known);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return known.length === 0 ? `It has no ${noun}s.` : `Its ${noun}s: ${known.join(', ')}.`;
}

/** Quotes a caller's field name if it would be confused with the sentence around it. */
const readable = (field: string) => (/^[\w.-]+$/.test(field) ? field : JSON.stringify(field));

const join = (at: string, name: string) => (at === '' ? name : `${at}.${name}`);

function requirementOf({ keyword, params, parentSchema, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      // "metadata must be given by key, as metadata[order]=7", where "an object" would be no help.
      return `must be ${(params.type === 'object' && parentSchema?.title) || article(params.type)}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} entries`;
    case 'maxProperties':
      return `must have at most ${params.limit} keys`;
    case 'maxItems':
      return `must have at most ${params.limit} entries`;
    case 'uniqueItems':
      return 'must not name the same entry twice';
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'pattern':
      return typeof parentSchema?.title === 'string' ? `must be ${parentSchema.title}` : `must match ${params.pattern}`;
    case 'format':
      return params.format === webAddressFormat ? `must be ${parentSchema?.title}` : `must be a valid ${params.format}`;
    case 'anyOf':
      return typeof parentSchema?.title === 'string'
        ? `must be ${parentSchema.title}`
        : 'has a value of the wrong kind';
    default:
      return message ?? 'is not valid';
  }
}

function article(type: string | string[]): string {
  const name = Array.isArray(type) ? type.join(' or ') : type;
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`;
}
