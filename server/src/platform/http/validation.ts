import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { invalid, Refusal } from '../../core/errors.ts';
import { type BrokenRule, rule, ruleOfTitle } from '../../core/refusal-rules.ts';
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
        return { error: invalid(name, rule('wrong_type', { type: 'integer' })) };
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
    return new Refusal('invalid_request', rule('no_object', { part }));
  }
  const at = error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword === 'required') {
    // A misspelt name leaves the right one missing; the caller sees only the misspelt one.
    const shape = shapeAround(error, schema);
    const unknown = unknownNameIn(error.data, shape);
    if (unknown !== undefined) return unknownField(at, unknown, shape, part);
    const field = join(at, error.params.missingProperty);
    return invalid(field, rule('required'));
  }
  if (error.keyword === 'additionalProperties') {
    return unknownField(at, error.params.additionalProperty, error.parentSchema as Shape, part);
  }
  return invalid(at, ruleOf(error));
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
  const suggestion = nearestName(name, known);
  return invalid(field, part === 'query' ? ruleOfParameter(suggestion, known) : ruleOfField(suggestion, known));
}

function ruleOfParameter(suggestion: string | undefined, known: string[]): BrokenRule {
  if (suggestion !== undefined) return rule('unknown_parameter', { suggestion });
  return known.length === 0 ? rule('no_parameters') : rule('unknown_parameter_of', { known });
}

function ruleOfField(suggestion: string | undefined, known: string[]): BrokenRule {
  if (suggestion !== undefined) return rule('unknown_field', { suggestion });
  return known.length === 0 ? rule('no_fields') : rule('unknown_field_of', { known });
}

const join = (at: string, name: string) => (at === '' ? name : `${at}.${name}`);

/** What a value breaks. A title of a schema is a rule of its own (`form`). */
function ruleOf({ keyword, params, parentSchema }: ErrorObject): BrokenRule {
  const title = ruleOfTitle(parentSchema?.title);
  switch (keyword) {
    case 'type':
      // "metadata must be given by key, such as metadata[order]=7", where "an object" would be no help.
      return (params.type === 'object' && title) || rule('wrong_type', { type: params.type });
    case 'minimum':
    case 'maximum':
      return rule(keyword, { limit: params.limit });
    case 'minLength':
      return params.limit === 1 ? rule('empty') : rule('too_short', { limit: params.limit });
    case 'maxLength':
      return rule('too_long', { limit: params.limit });
    case 'minItems':
      return params.limit === 1 ? rule('empty') : rule('too_few', { limit: params.limit });
    case 'maxProperties':
      return rule('too_many_keys', { limit: params.limit });
    case 'maxItems':
      return rule('too_many', { limit: params.limit });
    case 'uniqueItems':
      return rule('listed_twice');
    case 'enum':
      return rule('one_of', { allowed: params.allowedValues });
    case 'const':
      return rule('only_value', { allowed: params.allowedValue });
    case 'pattern':
      return title ?? rule('pattern', { pattern: params.pattern });
    case 'format':
      return title ?? rule('format', { format: params.format });
    default:
      return title ?? rule('wrong_kind');
  }
}
