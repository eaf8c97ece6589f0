import type { ChildProcess } from 'node:child_process';
import type { Bench, Line } from '../../bench.ts';
import { drain, registerEndpoint } from '../../outbox.ts';
import { launchFile, request, stopProcess } from '../../processes/children.ts';
import type { PostJob, PostResult } from '../../processes/post-loop.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { cpuComment, perSecond } from '../../report/format.ts';
import { interleave, type Sample } from '../../rounds.ts';
import { sampleEventBody } from '../../sample-event.ts';

const rounds = 4;
/** The first 40,000 deliveries took 1.6 times the processor time of later ones, before V8 had optimized the code. */
const warmUpRounds = 2;
const deliveriesPerRound = 40_000;
/** Concurrency of the comparison loops when the goal was set. The service's default is larger. */
const inFlight = 64;

/**
 * Compares the deliveries per second that one process claims, signs, sends and records with a bare undici loop, and the
 * service's sender without a database with the same loop.
 */
export async function deliveries(bench: Bench): Promise<Line[]> {
  const { service } = await bench.emptyShop();
  const receiver = await startReceiver();
  const merchant = await service.createMerchant('receiving');
  const endpointId = await registerEndpoint(service, merchant.key, `http://127.0.0.1:${receiver.port}/`);
  const bare = launchFile('post-loop.ts');
  const senderOnly = launchFile('sender-loop.ts');
  const sides = [
    { name: 'deliveries', run: () => drain(service, merchant, endpointId, receiver, deliveriesPerRound) },
    { name: 'bare undici loop', run: () => post(bare, receiver) },
    { name: 'sender alone', run: () => post(senderOnly, receiver) },
  ];
  await interleave(warmUpRounds, sides);
  const { series, ratios, otherCpus } = await interleave(rounds, sides);
  await service.empty();
  await Promise.all([stopProcess(receiver.process), stopProcess(bare), stopProcess(senderOnly)]);
  bench.deliveriesPerSecond = series[0]?.median as number;
  return [
    {
      measurement: 'deliveries',
      what: 'deliveries, signed and recorded ÷ bare undici loop',
      ours: perSecond(series[0]?.median),
      against: perSecond(series[1]?.median),
      figure: ratios[1] as number,
      comment: cpuComment(series.slice(0, 2), otherCpus),
    },
    {
      measurement: 'deliveries',
      what: "posts signed and sent by the service's sender alone, unrecorded ÷ bare undici loop",
      ours: perSecond(series[2]?.median),
      against: perSecond(series[1]?.median),
      figure: (ratios[1] as number) / (ratios[2] as number),
    },
  ];
}

async function post(loop: ChildProcess, { port }: Receiver): Promise<Sample> {
  const job: PostJob = { port, posts: deliveriesPerRound, inFlight, headers, body: sampleEventBody };
  const { perSecond: value, failures } = await request<PostResult>(loop, job);
  if (failures > 0) throw new Error(`${failures} posts failed.`);
  return { value };
}

/** The headers of the service, with constant signatures. */
const headers = Object.entries({
  'Content-Type': 'application/json',
  'User-Agent': 'Florin-Webhooks',
  Accept: '*/*',
  'Accept-Encoding': 'identity',
  'X-Service-Signature': 'b1946ac92492d2347c6235b4d2611184b1946ac92492d2347c6235b4d2611184',
  'X-Service-Event': 'transaction.created',
  'X-Service-Delivery': 'dlv_0190a5b1c2d37e4f8a6b1c2d3e4f5a6b',
  'webhook-id': 'evt_0190a5b1c2d37e4f8a6b1c2d3e4f5a6b',
  'webhook-timestamp': '1767225600',
  'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
}).flat();
