import { expect, test } from 'vitest';
import { declaredOpenApi } from '../../src/app/openapi/document.ts';

const document = declaredOpenApi();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => ({ at: `${method.toUpperCase()} ${path}`, ...operation }) as Operation,
  ),
);

interface Operation {
  at: string;
  operationId: string;
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

type Content = Record<string, { schema: { $ref?: string } }>;

test('every body and every answer in the envelope has a named schema', () => {
  const anonymous = operations.flatMap(({ at, requestBody, responses }) =>
    [requestBody, ...Object.values(responses)]
      .map((part) => part?.content?.['application/json']?.schema)
      .filter((schema) => schema !== undefined && schema.$ref === undefined)
      .map(() => at),
  );
  // Name the schema in `schemas` of its module.
  expect(anonymous).toEqual([]);
});

test('every reference leads to a schema', () => {
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(new Set(references)).toEqual(new Set(Object.keys(document.components.schemas)));
});

test('operation ids are unique, and say what the operation does', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)*$/.test(id))).toEqual([]);
  // A verb that does not come from the path may be added; where the path gives none, name the operation in its route.
  const verbs = new RegExp(
    '^(accept|add|advance|begin|cancel|capture|change|close|confirm|create|decide|default|detach|end|expire|export|' +
      'finalize|finish|forgot|generate|get|list|login|logout|modify|pause|pay|preview|print|receive|refresh|release|' +
      'regenerate|register|remove|replay|reset|resume|revoke|rotate|search|send|setup|step|stream|submit|test|update|' +
      'void)([A-Z]|$)',
  );
  expect(ids.filter((id) => !verbs.test(id))).toEqual([]);
  expect(ids).toEqual(
    expect.arrayContaining(['createTransaction', 'listTransactions', 'getTransaction', 'createRefund']),
  );
});

test('fields have the formats that generators need', () => {
  const { Transaction, TransactionCreateInput, Customer, WebhookEndpoint } = document.components.schemas as never;
  expect(Transaction).toMatchObject({
    properties: {
      amount: { type: 'integer', format: 'int64' },
      createdTime: { type: 'string', format: 'date-time' },
      status: { $ref: '#/components/schemas/TransactionStatus' },
    },
  });
  expect(TransactionCreateInput).toMatchObject({
    additionalProperties: false,
    required: ['amount', 'currency', 'channelId'],
  });
  expect(Customer).toMatchObject({ properties: { updatedTime: { type: 'string', format: 'date-time' } } });
  expect(WebhookEndpoint).toMatchObject({ properties: { url: { format: 'uri' } } });
});

test('every operation names the scope that it needs', () => {
  expect(document.paths['/api/refund/create']?.post).toMatchObject({ 'x-required-scope': 'transaction_refund' });
  expect(document.paths['/api/tenant/list']?.get).toMatchObject({
    'x-required-scope': '*',
    'x-required-user-types': ['PLATFORM_ADMIN'],
  });
});

test('limits that may be instants are not documented as days, and no pattern needs Unicode mode', () => {
  const limits = JSON.stringify(document.paths['/api/transaction/list']?.get).match(/\{"name":"startDate".*?\}\}/)?.[0];
  expect(limits).toContain('"pattern"');
  expect(limits).not.toContain('"format"');
  expect(JSON.stringify(document)).not.toContain(String.raw`\\p{`);
});

test('a body that may be null documents its refusals too', () => {
  expect(document.paths['/api/inbox/create']?.post).toMatchObject({ responses: { 409: expect.anything() } });
});

test('nothing in the document stops a generator of clients', () => {
  expect(obstaclesIn(document)).toEqual([]);
});

test('an enumeration that has a name is referred to', () => {
  const { schemas } = document.components;
  const nameOf = new Map(Object.entries(schemas).map(([name, { enum: words }]) => [JSON.stringify(words), name]));
  const copies = partsOf(document).flatMap(({ at, part }) =>
    'enum' in part && nameOf.has(JSON.stringify(part.enum)) && !/\/schemas\/\w+$/.test(at) ? [at] : [],
  );
  expect(copies).toEqual([]);
});

test('no schema has the name that generators give to a part of an operation', () => {
  const given = operations.flatMap(({ operationId }) =>
    ['Response', 'Params', 'Request', 'JSONBody', 'JSONRequestBody'].map(
      (part) => operationId.charAt(0).toUpperCase() + operationId.slice(1) + part,
    ),
  );
  const names = new Set(Object.keys(document.components.schemas));
  expect(given.filter((name) => names.has(name))).toEqual([]);
});

interface Part {
  at: string;
  part: Record<string, unknown>;
}

/** All objects within, with their paths; not examples, which are data. */
function partsOf(part: unknown, at = ''): Part[] {
  if (Array.isArray(part)) return part.flatMap((inner, i) => partsOf(inner, `${at}/${i}`));
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part).filter(([name]) => name !== 'example');
  return [{ at, part: part as Part['part'] }, ...inner.flatMap(([name, value]) => partsOf(value, `${at}/${name}`))];
}

/**
 * Schemas of false, of null alone, rules over several fields, numbers for integers, and patterns of JavaScript alone.
 */
function obstaclesIn(whole: unknown): string[] {
  return partsOf(whole).flatMap(({ at, part }) => {
    const { type, const: value, pattern } = part;
    const isProperties = at.endsWith('/properties');
    const rules = ['not', 'if', 'then', 'else', 'allOf', 'oneOf'].filter((keyword) => keyword in part);
    return [
      ...(isProperties ? Object.keys(part).filter((name) => typeof part[name] === 'boolean') : rules),
      ...(type === 'null' ? ['null alone'] : []),
      ...(Number.isInteger(value) && type !== 'integer' ? [`${value} is not an integer`] : []),
      ...('*/*' in part ? ['*/*'] : []),
      ...(typeof pattern === 'string' && hasBareBracket(pattern) ? [pattern] : []),
    ].map((obstacle) => `${at}: ${obstacle}`);
  });
}

/** A `[` within a class: to several languages the beginning of another class. */
function hasBareBracket(pattern: string): boolean {
  const classes = pattern.replaceAll(/\\./g, '').match(/\[[^\]]*\]/g) ?? [];
  return classes.some((one) => one.slice(1).includes('['));
}
