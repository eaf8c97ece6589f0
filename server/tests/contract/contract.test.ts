import { afterAll, beforeAll, expect, test } from 'vitest';
import { declaredOpenApi } from '../../src/app/openapi/document.ts';
import { allRoutes } from '../../src/app/routes.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { accountSteps } from './fixture/account-steps.ts';
import { billingSteps } from './fixture/billing-steps.ts';
import { callbackSteps } from './fixture/callback-steps.ts';
import { type DocumentedOperation, DocumentValidator, operationsOf } from './fixture/document.ts';
import { exampleOf } from './fixture/examples.ts';
import { identitySteps } from './fixture/identity-steps.ts';
import { paymentSteps } from './fixture/payment-steps.ts';
import { type Exchange, sendSteps } from './fixture/send-steps.ts';
import { webhookSteps } from './fixture/webhook-steps.ts';

const steps = [...identitySteps, ...paymentSteps, ...billingSteps, ...webhookSteps, ...callbackSteps, ...accountSteps];
const document = declaredOpenApi();
const operations = operationsOf(document);
const validator = new DocumentValidator(document);
const exchanges: (Exchange & { operation: DocumentedOperation | undefined })[] = [];
let db: TestDatabase;
let florin: TestFlorin;
let recording: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  // A full machine may need longer than the default for the PDF of an invoice.
  florin = await florinOn(db, { APP_INVOICE_PDF_TIMEOUT: '150s' });
  recording = await sendSteps(florin.address, steps, { dataDir: florin.dataDir }, (exchange) => {
    const path = exchange.sent.path.split('?')[0] as string;
    const operation = operations.find(({ method, pattern }) => method === exchange.method && pattern.test(path));
    exchanges.push({ ...exchange, operation });
  });
}, 180_000);

afterAll(async () => {
  await florin?.stop();
  await db?.drop();
});

test('every answer is as recorded: status, headers and body', async () => {
  // A deliberate change is recorded by `npm run record`, and reviewed like code.
  await expect(recording).toMatchFileSnapshot('contract.recorded');
});

test('every endpoint is in the recording', () => {
  const calls = steps.map(({ call }) => call.replace(/\?.*/, ''));
  const missing = allRoutes.filter(({ method, path }) => {
    const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return !calls.some((call) => pattern.test(call));
  });
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});

test('every operation of the document was answered 200', () => {
  const answered = new Set(exchanges.filter(({ status }) => status === 200).map(({ operation }) => operation));
  expect(operations.filter((operation) => !answered.has(operation)).map(({ operationId }) => operationId)).toEqual([]);
});

test('every answer is documented, with all of its fields', () => {
  const wrong = exchanges.flatMap(({ operation, method, path, status, contentType, sent }) => {
    if (operation === undefined) return [];
    const type = contentType.split(';')[0] as string;
    const content = operation.responses[status]?.content?.[type];
    if (content?.schema === undefined) return [`${method} ${path}: ${status} ${type} is not documented`];
    if (type !== 'application/json') return [];
    return validator
      .errorsOf(content.schema, JSON.parse(sent.answer))
      .map((error) => `${method} ${path} ${status}: ${error}`);
  });
  expect(wrong).toEqual([]);
});

test('every refusal has a type that the operation documents', () => {
  const wrong = exchanges.flatMap(({ operation, method, path, status, sent }) => {
    if (operation === undefined || status < 400) return [];
    const { type } = JSON.parse(sent.answer).error;
    // Declare it in `refuses` of the route.
    return operation.responses[status]?.['x-error-types']?.includes(type) ? [] : [`${method} ${path}: ${type}`];
  });
  expect(wrong).toEqual([]);
});

test('every body that was accepted is documented', () => {
  const wrong = exchanges.flatMap(({ operation, status, sent, method, path }) => {
    const schema = operation?.requestBody?.content['application/json']?.schema;
    if (status !== 200 || sent.body === undefined || schema === undefined) return [];
    return validator.errorsOf(schema, JSON.parse(sent.body)).map((error) => `${method} ${path}: ${error}`);
  });
  expect(wrong).toEqual([]);
});

test('every event has the payload that the document shows', async () => {
  const rows = await db.query<{ type: string; body: string }>('select type, body from event');
  const wrong = rows.flatMap(({ type, body }) => {
    const { requestBody } = (document.webhooks[type] as { post: DocumentedOperation }).post;
    const schema = requestBody?.content['application/json']?.schema as object;
    return validator.errorsOf(schema, JSON.parse(body)).map((error) => `${type}: ${error}`);
  });
  expect(rows.length).toBeGreaterThan(10);
  expect([...new Set(wrong)]).toEqual([]);
});

test('the examples of the document are requests and answers of the recording', async () => {
  const examples = operations.map((operation) => {
    const accepted = exchanges.find((exchange) => exchange.operation === operation && exchange.status === 200);
    return [operation.operationId, accepted && exampleOf(accepted, operation.path)] as const;
  });
  const sorted = Object.fromEntries(examples.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  // `npm run record` writes them. The linter of the document judges them by the schemas.
  await expect(`${JSON.stringify(sorted, undefined, 2)}\n`).toMatchFileSnapshot('../../src/app/openapi/examples.json');
});
