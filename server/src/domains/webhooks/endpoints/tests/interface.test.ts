import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makePayment,
  makeTenant,
} from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { anInteger, aRefusal, aTime } from '../../../../../tests/support/shapes.ts';
import { type Received, type Receiver, startReceiver } from '../../../../../tests/support/webhooks/receiver.ts';

const secret = 'a secret both sides know';

let db: TestDatabase;
let florin: TestFlorin;
let receiver: Receiver;
let admin: string;
let tenantId: number;
let as: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, {
    APP_WEBHOOK_RETRY_INTERVALS: '0.05,0.05,0.05',
    APP_WEBHOOK_TIMEOUT: '0.3s',
    APP_WEBHOOK_ALLOW_TARGETS: '',
  });
  receiver = await startReceiver();
});

afterAll(async () => {
  await florin.stop();
  await receiver.close();
  await db.drop();
});

// One tenant per test, so that a test receives only its own events.
beforeEach(async () => {
  admin = await administratorOf(florin);
  tenantId = await makeTenant(florin, admin);
  ({ as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId }));
  channelId = await makeChannel(florin, as);
  receiver.received.length = 0;
  receiver.answering = 200;
});

const register = (body: object) =>
  florin.post('/api/webhook/register', { url: `${receiver.url}/hook?a=b`, events: ['*'], secret, ...body }, as);
const update = async (id: string, changes: object) =>
  dataOf(await florin.post('/api/transaction/update', { id, ...changes }, as));
const arrived = (count: number) =>
  eventually(`${count} deliveries arrive`, () => receiver.received.length >= count && [...receiver.received]);
const payloadOf = ({ body }: Received) => JSON.parse(body.toString());

describe('register', () => {
  test('answers the endpoint without its secret', async () => {
    const events = ['transaction.created', 'transaction.*'];
    const { status, body } = await register({ events });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        code: 200,
        message: 'Webhook registered',
        data: {
          id: anInteger,
          livemode: true,
          url: `${receiver.url}/hook?a=b`,
          events,
          state: true,
          createdTime: aTime,
        },
      },
    });
  });

  test.each([
    [{ url: 'example.com/hook' }, 'invalid_request', 'url'],
    [{ url: 'ftp://example.com/hook' }, 'invalid_request', 'url'],
    [{ url: 'http://user:secret@127.0.0.1/hook' }, 'invalid_request', 'url'],
    [{ url: '' }, 'invalid_request', 'url'],
    [{ url: 17 }, 'invalid_request', 'url'],
    [{ url: undefined }, 'invalid_request', 'url'],
    [{ events: [] }, 'invalid_request', 'events'],
    [{ events: 'transaction.created' }, 'invalid_request', 'events'],
    [{ events: ['transaction.made'] }, 'invalid_request', 'events.0'],
    [{ events: ['*', 5] }, 'invalid_request', 'events.1'],
    [{ events: undefined }, 'invalid_request', 'events'],
    [{ secret: '' }, 'invalid_request', 'secret'],
    [{ secret: 'größer und größer' }, 'invalid_request', 'secret'],
    [{ secret: 'x'.repeat(15) }, 'invalid_request', 'secret'],
    [{ active: true }, 'invalid_request', 'active'],
  ])('refuses %j', async (wrong, type, field) => {
    const { status, body } = await register(wrong);
    expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type, field }) });
  });

  test('refuses private addresses to keys and to users with roles, and keeps no answer from one', async () => {
    const { as: operator } = await makeMember(florin, admin, {
      userType: 'MERCHANT_USER',
      tenantId,
      roles: ['operator'],
    });
    const { as: key } = await makeKey(florin, as, '*');
    const hook = { url: `${receiver.url}/inner`, events: ['*'], secret };
    for (const who of [operator, key]) {
      const { status, body } = await florin.post('/api/webhook/register', hook, who);
      expect({ status, type: body.error.type }).toEqual({ status: 400, type: 'webhook_address_forbidden' });
    }
    receiver.answering = (_received, _request, response) => {
      response.writeHead(200, { 'x-inner': 'yes' }).end('what the network trusts');
    };
    const { id } = dataOf(await register({ url: hook.url }));
    const { deliveryId } = dataOf(await florin.post('/api/webhook/test', { id }, operator));
    const path = `/api/webhook/delivery/detail?id=${deliveryId}`;
    const { attempts } = await eventually('the attempt is recorded', async () => {
      const delivery = dataOf(await florin.get(path, operator));
      return delivery.attempts.length > 0 && delivery;
    });
    expect(attempts).toMatchObject([{ status: 200, outcome: 'ok', responseHeaders: null, responseBody: null }]);
    await db.query(`update delivery_attempt set response_headers = '{"x-inner":"yes"}', response_body = 'trusted'`);
    const { attempts: kept } = dataOf(await florin.get(path, as));
    expect(kept, 'answers that an older version kept').toMatchObject([{ responseHeaders: null, responseBody: null }]);
  });

  test('refuses private addresses outside standalone mode', async () => {
    const cluster = await florinOn(db, {
      APP_DEPLOYMENT_MODE: 'CLUSTER',
      APP_JWT_KEYS: aKeyring(),
      APP_WEBHOOK_ALLOW_TARGETS: '',
    });
    try {
      const admin = await administratorOf(cluster);
      const hook = { url: `${receiver.url}/hook`, events: ['*'], secret };
      const { status, body } = await cluster.post('/api/webhook/register', hook, admin);
      expect({ status, body }).toEqual({
        status: 400,
        body: aRefusal(400, { type: 'webhook_address_forbidden', field: 'url' }),
      });
    } finally {
      await cluster.stop();
    }
  });
});

describe('a delivery', () => {
  test('has the payload and headers of the interface, with a signature over the exact bytes', async () => {
    await register({ events: ['transaction.created'] });
    const description = 'Zwei Kaffee ☕';
    const { data } = (
      await florin.post('/api/transaction/create', { amount: 1999, currency: 'USD', channelId, description }, as)
    ).body;
    const [received] = (await arrived(1)) as [Received];
    expect(received.path).toBe('/hook?a=b');
    expect(payloadOf(received)).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: 'transaction.created',
      created: Math.floor(Date.parse(data.createdTime) / 1000),
      apiVersion: '1.0.1',
      livemode: true,
      data: { object: data },
    });
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-signature': createHmac('sha256', secret).update(received.body).digest('hex'),
      'x-service-event': 'transaction.created',
      'x-service-delivery': expect.stringMatching(/^dlv_[0-9a-f]{32}$/),
    });
  });

  test('verifies with the library of Standard Webhooks too', async () => {
    const shared = `whsec_${Buffer.from('32 bytes that both sides hold to').toString('base64')}`;
    await register({ secret: shared });
    await makePayment(florin, as, channelId);
    const [{ headers, body }] = (await arrived(1)) as [Received];
    const verified = new Webhook(shared).verify(body.toString(), headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'transaction.created', id: headers['webhook-id'] });
  });

  test('is sent for every change of status, with the event type in header and body', async () => {
    await register({ events: ['transaction.*'] });
    const paid = await makePayment(florin, as, channelId);
    await update(paid, { status: 'PROCESSING' });
    await update(paid, { status: 'SUCCESS' });
    await update(await makePayment(florin, as, channelId), { status: 'FAILED' });
    await update(await makePayment(florin, as, channelId), { status: 'CANCELLED' });
    await update(paid, { description: 'words alone tell nobody' });
    const told = (await arrived(7)).map((received) => {
      const { type, data } = payloadOf(received);
      expect(received.headers['x-service-event']).toBe(type);
      return `${type} ${data.object.status}`;
    });
    expect(told.toSorted()).toEqual([
      'transaction.cancelled CANCELLED',
      'transaction.created PENDING',
      'transaction.created PENDING',
      'transaction.created PENDING',
      'transaction.failed FAILED',
      'transaction.processing PROCESSING',
      'transaction.succeeded SUCCESS',
    ]);
  });

  test('goes once to each endpoint of the tenant that subscribes to its type', async () => {
    const to = (name: string, events: string[]) => register({ url: `${receiver.url}/${name}`, events });
    await to('all', ['*', 'transaction.*', 'transaction.created']);
    await to('noun', ['transaction.*']);
    await to('other', ['invoice.paid', 'transaction.failed']);
    const stranger = as;
    const admin = await administratorOf(florin);
    const tenantId = await makeTenant(florin, admin);
    ({ as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId }));
    await to('foreign', ['*']);
    await makePayment(florin, stranger, channelId);
    // The stranger's own payment comes last: when it has arrived, no earlier delivery is outstanding.
    await arrived(2);
    await makePayment(florin, as, await makeChannel(florin, as));
    const paths = (await arrived(3)).map(({ path }) => path).toSorted();
    expect(paths).toEqual(['/all', '/foreign', '/noun']);
  });

  test('is retried after a failure with the same id and bytes, at most three times', async () => {
    receiver.answering = 500;
    await register({});
    await makePayment(florin, as, channelId);
    const received = await arrived(4);
    await eventually('the delivery has failed', async () => {
      const [row] = await db.query('select 1 from delivery where state = $1 and endpoint_id = $2', [
        'FAILED',
        await newestEndpoint(),
      ]);
      return row;
    });
    expect(receiver.received).toHaveLength(4);
    expect(new Set(received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
    expect(new Set(received.map(({ body }) => body.toString('hex'))).size).toBe(1);
  });

  test('fails on a redirect or a late answer, and succeeds on any 2xx', async () => {
    const answers = [302, 'never', 204];
    receiver.answering = (_received, _request, response) => {
      const answer = answers.shift();
      if (answer === 'never') return;
      response.writeHead(answer as number, { location: `${receiver.url}/elsewhere` }).end();
    };
    await register({});
    await makePayment(florin, as, channelId);
    const received = await arrived(3);
    await eventually('the delivery has ended', async () => {
      const [row] = await db.query('select 1 from delivery where state = $1 and endpoint_id = $2', [
        'SUCCEEDED',
        await newestEndpoint(),
      ]);
      return row;
    });
    expect(received.map(({ path }) => path)).toEqual(Array(3).fill('/hook?a=b'));
    expect(receiver.received).toHaveLength(3);
  });
});

async function newestEndpoint(): Promise<number> {
  const [row] = await db.query<{ id: number }>('select max(id) as id from webhook_endpoint');
  return row?.id as number;
}

const aKeyring = () => `test:${Buffer.alloc(32, 7).toString('base64')}`;
