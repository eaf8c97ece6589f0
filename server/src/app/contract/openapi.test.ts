import { expect, test } from 'vitest';
import { declaredOpenApi } from '../openapi/document.ts';

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
    '^(advance|begin|cancel|change|close|confirm|create|decide|end|expire|export|finalize|finish|forgot|generate|get|list|login|' +
      'logout|modify|pause|pay|preview|print|receive|refresh|regenerate|register|remove|replay|reset|resume|revoke|rotate|' +
      'step|stream|test|update|void)([A-Z]|$)',
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
