import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Direction, type Extent, type Schema, type SchemaObject, strictSchema } from './strict-schema.ts';

/** The function of a keyword, as Ajv calls it. */
interface KeywordFunction {
  (ref: string, value: unknown, schema: unknown, context?: { instancePath: string }): boolean;
  errors?: Partial<ErrorObject>[];
}

/** The parts of an OpenAPI document that are read here. */
export interface OpenApiDocument {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, unknown>>;
  components: Record<string, Record<string, unknown>>;
}

/** A request and the provider's answer to it. */
export interface Exchange {
  method: string;
  /** The path without the query. */
  path: string;
  query: unknown;
  /** The parsed body; undefined if there is none. */
  body: unknown;
  status: number;
  /** The parsed answer; undefined if there is none. */
  answer: unknown;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

interface Content {
  content?: Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, unknown> }>;
}

interface Operation {
  parameters?: (Parameter | Reference)[];
  requestBody?: Content | Reference;
  responses: Record<string, Content | Reference>;
}

interface DocumentedOperation {
  pattern: RegExp;
  template: string;
  method: string;
  operation: Operation;
}

interface Reference {
  $ref: string;
}

export interface ContractOptions {
  /** The schema of errors, for statuses that an operation does not document. */
  errorSchema: string;
}

/** Where a value is. Queries and forms are text: numbers and booleans are read from it. */
type Place = 'text' | 'request' | 'answer';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Validates requests, answers and events against an OpenAPI document, in both directions and strictly: an undocumented
 * operation, parameter, member or value is a violation. Only what is used is compiled.
 */
export class OpenApiContract {
  readonly document: OpenApiDocument;
  readonly #errorSchema: string;
  readonly #ajv: Readonly<Record<Place, Ajv2020>>;
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #operations: DocumentedOperation[];
  /** The operations by their method and the number of parts of their path. */
  readonly #byShape: ReadonlyMap<string, DocumentedOperation[]>;

  constructor(document: OpenApiDocument, { errorSchema }: ContractOptions) {
    this.document = document;
    this.#errorSchema = errorSchema;
    this.#operations = operationsOf(document);
    this.#byShape = Map.groupBy(this.#operations, ({ method, template }) => shapeOf(method, template));
    this.#ajv = { text: this.#ajvFor('text'), request: this.#ajvFor('request'), answer: this.#ajvFor('answer') };
  }

  #ajvFor(place: Place): Ajv2020 {
    const ajv = new Ajv2020({ ...ajvOptions, coerceTypes: place === 'text' });
    for (const [name, pattern] of Object.entries(formats)) ajv.addFormat(name, pattern);
    const validate = this.#componentKeyword(place);
    ajv.addKeyword({ keyword: 'component', schemaType: 'string', errors: 'full', validate });
    return ajv;
  }

  /** What an exchange violates: of the request, and of the answer. */
  violationsOf(exchange: Exchange): string[] {
    const { method, path } = exchange;
    const found = this.#operation(method, path);
    if (found === undefined) return [`${method} ${path} is not documented`];
    const where = `${method} ${found.template}`;
    return [
      ...this.#violationsOfRequest(where, found.operation, exchange).map((text) => `${where}: ${text}`),
      ...this.#violationsOfAnswer(where, found.operation, exchange).map(
        (text) => `${where} ${exchange.status}: ${text}`,
      ),
    ];
  }

  /** What a value violates of a schema that is named in the document, such as an event. */
  violationsOfSchema(name: string, value: unknown): string[] {
    return this.#violations(`schema ${name}`, 'answer', () => ({ $ref: `#/components/schemas/${name}` }), value);
  }

  /** The answers that the document shows as examples: their operation, status and value. */
  *examples(): Generator<{ where: string; violations: () => string[] }> {
    for (const { template, method, operation } of this.#operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const { content = {} } = this.#resolved(response);
        for (const { example, examples = {} } of Object.values(content)) {
          const named: unknown[] = Object.values(examples).map(
            (each) => this.#resolved(each as { value: unknown }).value,
          );
          for (const [at, answer] of [...named, ...(example === undefined ? [] : [example])].entries()) {
            const where = `${method.toUpperCase()} ${template}`;
            const violations = () => this.#violationsOfAnswer(where, operation, { status: Number(status), answer });
            yield { where: `${where} ${status} example ${at + 1}`, violations };
          }
        }
      }
    }
  }

  /** The parameters in the body of a request, by name. */
  parametersOf(method: string, path: string): string[] {
    return Object.keys(this.bodySchemaOf(method, path).properties ?? {}).sort();
  }

  /** The schema of the body of a request. */
  bodySchemaOf(method: string, path: string): SchemaObject {
    const { operation } = this.#operation(method, path) ?? notDocumented(`${method} ${path}`);
    const schema = bodySchemaIn(this.#resolved(operation.requestBody ?? {}));
    return (schema ?? notDocumented(`A body of ${method} ${path}`)) as SchemaObject;
  }

  /** The schema at a path below the schemas of the document: `payment_intent`, `status`. */
  schemaAt(name: string, ...members: string[]): SchemaObject {
    return members.reduce<SchemaObject>(
      (schema, member) => (schema.properties?.[member] ?? notDocumented(`${name}.${member}`)) as SchemaObject,
      this.#target(`#/components/schemas/${name}`) as SchemaObject,
    );
  }

  #violationsOfRequest(where: string, operation: Operation, { query, body }: Exchange): string[] {
    const ofQuery = () => querySchema(this.#parametersIn(operation, 'query'));
    const queryViolations = this.#violations(`${where} query`, 'text', ofQuery, structuredClone(query));
    if (body === undefined) return queryViolations;
    const requestBody = this.#resolved(operation.requestBody ?? {});
    const schema = bodySchemaIn(requestBody);
    const place = Object.keys(requestBody.content ?? {})[0]?.includes('form') ? 'text' : 'request';
    if (schema === undefined) return [...queryViolations, 'the request has a body, and none is documented'];
    return [...queryViolations, ...this.#violations(`${where} body`, place, () => schema, structuredClone(body))];
  }

  #violationsOfAnswer(
    where: string,
    operation: Operation,
    { status, answer }: Pick<Exchange, 'status' | 'answer'>,
  ): string[] {
    const response = operation.responses[status] ?? operation.responses.default;
    if (response === undefined && status < 400) return ['this status is not documented'];
    const content = response === undefined ? undefined : Object.values(this.#resolved(response).content ?? {})[0];
    if (content?.schema === undefined && status < 400) return answer === undefined ? [] : ['a body is not documented'];
    const schema = content?.schema ?? { $ref: `#/components/schemas/${this.#errorSchema}` };
    return this.#violations(`${where} ${content === undefined ? 'error' : status}`, 'answer', () => schema, answer);
  }

  #violations(name: string, place: Place, schema: () => Schema, value: unknown): string[] {
    const validate = this.#validator(`${place} ${name}`, place, schema);
    return validate(value) ? [] : describe(validate.errors ?? []);
  }

  #validator(name: string, place: Place, schema: () => Schema): ValidateFunction {
    const compiled = this.#validators.get(name) ?? this.#compile(schema(), place);
    this.#validators.set(name, compiled);
    return compiled;
  }

  #compile(schema: Schema, place: Place): ValidateFunction {
    return this.#ajv[place].compile(this.#translated(schema, place === 'answer' ? 'answer' : 'request', 'whole'));
  }

  /**
   * A reference to a whole component becomes the keyword `component`, which compiles the component when a value needs
   * it: a payment intent of Stripe refers to almost all of its 1,454 schemas. A part (`allOf`) is put in place, because
   * only then it counts which members it names.
   */
  #translated(schema: Schema, direction: Direction, extent: Extent): Schema {
    const resolve = (ref: string) => this.#target(ref) as Schema;
    const refer = (ref: string, of: Extent) =>
      of === 'whole' ? { component: ref } : this.#translated(resolve(ref), direction, 'part');
    return strictSchema(schema, { direction, resolve, refer }, extent);
  }

  #componentKeyword(place: Place): KeywordFunction {
    const validate: KeywordFunction = (ref: string, value: unknown, _schema: unknown, context) => {
      const inner = this.#validator(`${place} ${ref}`, place, () => this.#target(ref) as Schema);
      const isValid = inner(value) as boolean;
      const at = context?.instancePath ?? '';
      validate.errors = (inner.errors ?? []).map((error) => ({ ...error, instancePath: `${at}${error.instancePath}` }));
      return isValid;
    };
    return validate;
  }

  #operation(method: string, path: string) {
    return this.#byShape.get(shapeOf(method, path))?.find(({ pattern }) => pattern.test(path));
  }

  #parametersIn({ parameters = [] }: Operation, place: string): Parameter[] {
    return parameters
      .map((each) => ({ ...this.#resolved(each as Parameter), ...withoutRef(each) }))
      .filter((each) => each.in === place);
  }

  #resolved<Part extends object>(part: Part | Reference): Part {
    return '$ref' in part ? this.#resolved(this.#target(part.$ref as string) as Part) : part;
  }

  #target(ref: string): unknown {
    const [, , kind = '', name = ''] = ref.split('/');
    return this.document.components[kind]?.[name] ?? notDocumented(ref);
  }
}

const ajvOptions = {
  strict: false,
  allErrors: true,
  unevaluated: true,
  inlineRefs: false,
  // The schemas are made here: checking them, and optimizing code that runs twice, took more time than the rest.
  meta: false,
  validateSchema: false,
  code: { optimize: false },
} as const;

const formats = {
  currency: /^[a-z]{3}$/,
  decimal: /^-?\d+(\.\d+)?$/,
  date: /^\d{4}-\d\d-\d\d$/,
  binary: true as const,
  'unix-time': true as const,
};

function shapeOf(method: string, path: string): string {
  return `${method.toLowerCase()} ${path.split('/').length}`;
}

function operationsOf({ paths }: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(paths)
    .sort(([one], [other]) => placeholders(one) - placeholders(other))
    .flatMap(([template, operations]) =>
      Object.entries(operations)
        .filter(([method]) => methods.includes(method))
        .map(([method, operation]) => ({
          template,
          method,
          pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
          operation: operation as Operation,
        })),
    );
}

function placeholders(template: string): number {
  return template.split('{').length;
}

function withoutRef({ $ref: _, ...rest }: Partial<Parameter & Reference>): object {
  return rest;
}

function querySchema(parameters: Parameter[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function bodySchemaIn({ content = {} }: Content): Schema | undefined {
  return Object.values(content)[0]?.schema;
}

function notDocumented(what: string): never {
  throw new Error(`${what} is not in the document.`);
}

/**
 * One line for each error, whatever the place in a list. Of a union only the errors of its alternatives are told, and
 * not that a value is not null.
 */
function describe(errors: readonly ErrorObject[]): string[] {
  const isToldElsewhere = ({ keyword, params }: ErrorObject) =>
    ['component', 'anyOf', 'oneOf'].includes(keyword) || (keyword === 'type' && params.type === 'null');
  const specific = errors.filter((error) => !isToldElsewhere(error));
  const told = (specific.length > 0 ? specific : errors).map(
    ({ instancePath, message, params }) =>
      `${instancePath.replace(/\/\d+(?=\/|$)/g, '/*') || '/'} ${message} ${JSON.stringify(params)}`,
  );
  return [...new Set(told)];
}
