import type { Bench } from '../../bench.ts';
import { waitUntil } from '../../outbox.ts';
import { request, stopProcess } from '../../processes/children.ts';
import type { Arrivals } from '../../processes/timed-receiver.ts';
import { loopbackAddresses, type Receiver, startTimedReceiver } from '../../receiver.ts';
import { createRequests } from '../../requests.ts';
import type { Cpu, Service } from '../../service.ts';

/** The payments of one merchant, charged at the sandbox, with their events sent to its endpoints. */
export interface FlowShop {
  service: Service;
  receiver: Receiver;
  tenantId: number;
  /** The key of the merchant. */
  key: string;
  requests: string[];
  /** Endpoints that answer; each is sent both events of a payment. */
  endpoints: number;
}

export interface FlowEndpoints {
  answering: number;
  /** Endpoints that accept posts and never answer. */
  hanging?: number;
}

export interface FlowResult {
  /** Creates a second that were offered and that were accepted. */
  offered: number;
  accepted: number;
  refused: number;
  /** From the event, whose time is in its id, to the post's arrival. */
  postP99Ms: number;
  /** From the payment's id to the event of its success. */
  successP99Ms: number;
  /** From the last create until every payment was settled and every post had arrived. */
  drainedMs: number;
  /** Posts of events from before the load. */
  replayed: number;
  /** CPU time of one accepted payment, with everything that follows from it. */
  cpu: Cpu;
}

/** What must hold for all that is accepted. */
export const limits = { postP99Ms: 1_000, successP99Ms: 2_000 };
/** Work that is left when the load ends, beyond what any payment takes. */
const mostDrainedMs = 1_000;
/** A connection serves one create at a time, which may wait for half a second to be admitted. */
const mostConnections = 1_024;

/** Whether all that was offered was also accepted, charged and posted in time. */
export function keepsUp({ offered, accepted, postP99Ms, successP99Ms, drainedMs }: FlowResult): boolean {
  const isInTime = postP99Ms < limits.postP99Ms && successP99Ms < limits.successP99Ms;
  return isInTime && drainedMs < mostDrainedMs && accepted >= 0.99 * offered;
}

const sentEvents = ['transaction.created', 'transaction.succeeded'];

/** Shops of one service have merchants and channels of different names. */
let opened = 0;

export async function openFlowShop(bench: Bench, { answering, hanging = 0 }: FlowEndpoints): Promise<FlowShop> {
  const { service } = await bench.emptyShop();
  const name = `flow${++opened}`;
  const channelId = await service.createChannel(name, 'sandbox');
  const { tenantId, key } = await service.createMerchant(name, false);
  const [addresses, silent] = [loopbackAddresses(20, answering), loopbackAddresses(21, hanging)];
  const receiver = await startTimedReceiver({ answering: addresses, hanging: silent });
  for (const address of [...addresses, ...silent]) {
    const url = `http://${address}:${receiver.port}/`;
    const endpoint = { url, events: sentEvents, secret: 'a secret of the measurements' };
    await service.call('POST', '/api/webhook/register', `ApiKey ${key}`, endpoint);
  }
  return { service, receiver, tenantId, key, requests: createRequests(key, channelId), endpoints: answering };
}

export async function closeFlowShop({ service, receiver }: FlowShop): Promise<void> {
  await service.query('update webhook_endpoint set state = false');
  await service.empty();
  await stopProcess(receiver.process);
}

export interface Offer {
  ratePerSecond: number;
  seconds: number;
  /** Runs in the empty shop before the first create. */
  prepare?: () => Promise<void>;
}

/** Offers creates at a steady rate, and waits until everything that follows from those accepted is done. */
export async function offer(
  bench: Bench,
  shop: FlowShop,
  { ratePerSecond, seconds, prepare }: Offer,
): Promise<FlowResult> {
  const { service, receiver, requests, endpoints } = shop;
  await service.empty();
  await service.waitUntilIdle();
  await request(receiver.process, { reset: true });
  await prepare?.();
  const before = service.cpu();
  const connections = Math.min(mostConnections, Math.max(64, ratePerSecond));
  const load = { port: service.port, requests, connections, seconds, warmUpSeconds: 0, ratePerSecond };
  const { served, refused } = await bench.load(load);
  const endedAt = performance.now();
  const accepted = served - refused;
  await waitUntil(async () => (await arrivals(shop)).posts.count >= accepted * sentEvents.length * endpoints);
  await waitUntil(async () => !(await hasOpenOperations(service)));
  const after = service.cpu();
  const { posts, backlogPosts } = await arrivals(shop);
  return {
    offered: served / seconds,
    accepted: accepted / seconds,
    refused: refused / seconds,
    postP99Ms: posts.p99Ms,
    successP99Ms: await successP99Ms(service),
    drainedMs: performance.now() - endedAt,
    replayed: backlogPosts,
    cpu: {
      nodeUs: (after.nodeUs - before.nodeUs) / accepted,
      postgresUs: (after.postgresUs - before.postgresUs) / accepted,
    },
  };
}

const arrivals = ({ receiver }: FlowShop) => request<Arrivals>(receiver.process, {});

async function hasOpenOperations(service: Service): Promise<boolean> {
  const [row] = await service.query<{ open: boolean }>(
    'select exists (select from provider_operation where finished_at is null) as open',
  );
  return row?.open === true;
}

async function successP99Ms(service: Service): Promise<number> {
  const [row] = await service.query<{ ms: number }>(
    `select (percentile_cont(0.99) within group (order by extract(epoch from updated_at - created_at)) * 1000)::float8
         as ms
       from transaction where status = 'SUCCESS'`,
  );
  return row?.ms ?? Number.NaN;
}
