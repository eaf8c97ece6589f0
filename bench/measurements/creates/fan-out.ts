import type { Bench, Line } from '../../bench.ts';
import { registerEndpoint } from '../../outbox.ts';
import { launchFile, request, stopProcess } from '../../processes/children.ts';
import type { LoadJob, LoadResult } from '../../processes/load.ts';
import { loopbackAddresses, startReceiver, startTimedReceiver } from '../../receiver.ts';
import { milliseconds, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { interleave, median } from '../../rounds.ts';
import type { Merchant, Service } from '../../service.ts';

const rounds = 4;
/** As many as a tenant may have (`app.webhook.max-endpoints`). */
const endpoints = 50;
const connections = 16;
const neighbourConnections = 64;

/**
 * Compares the creates of a merchant alone, beside a merchant without endpoints, and beside ones with fifty endpoints that
 * subscribe to everything, and that answer or hang; the neighbours create at full rate. Between rounds the deliveries are deleted.
 */
export async function fanOut(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const receiver = await startReceiver();
  const subscriber = await service.createMerchant('fan-out');
  const plain = await service.createMerchant('plain');
  for (let i = 0; i < endpoints; i++) {
    await registerEndpoint(service, subscriber.key, `http://127.0.0.1:${receiver.port}/${i}`);
  }
  const hangingAddresses = loopbackAddresses(22, endpoints);
  const hangingReceiver = await startTimedReceiver({ answering: [], hanging: hangingAddresses });
  const hanging = await service.createMerchant('fan-out-hanging');
  for (const address of hangingAddresses) {
    await registerEndpoint(service, hanging.key, `http://${address}:${hangingReceiver.port}/`);
  }
  const generator = launchFile('load.ts');
  const medianMs: number[][] = [[], [], [], []];
  const neighbourPerSecond: number[][] = [[], [], [], []];
  const side = (name: string, index: number, neighbour?: Merchant) => ({
    name,
    run: async () => {
      await service.empty();
      await service.waitUntilIdle();
      const job: LoadJob = {
        port: service.port,
        requests: createRequests(merchant.key, channelId),
        connections,
        seconds: 3,
        warmUpSeconds: 1,
      };
      const [own, other] = await Promise.all([
        bench.load(job),
        neighbour && request<LoadResult>(generator, besides(service, neighbour, channelId)),
      ]);
      await request(hangingReceiver.process, { closeHanging: true });
      medianMs[index]?.push(own.medianMs);
      neighbourPerSecond[index]?.push(other?.perSecond ?? 0);
      return { value: own.perSecond };
    },
  });
  const { series, ratios, otherCpus } = await interleave(rounds, [
    side('beside fan-out', 0, subscriber),
    side('beside plain', 1, plain),
    side('alone', 2),
    side('beside hanging fan-out', 3, hanging),
  ]);
  await service.query('update webhook_endpoint set state = false');
  await service.empty();
  await Promise.all([stopProcess(receiver.process), stopProcess(hangingReceiver.process), stopProcess(generator)]);
  const [beside = 0, besidePlain = 0, alone = 0] = medianMs.map(median);
  const [fanOutRate = 0, plainRate = 0, , hangingRate = 0] = neighbourPerSecond.map(median);
  return [
    {
      measurement: 'fan-out',
      what: `creates beside a tenant that creates at full rate with ${endpoints} endpoints ÷ with none`,
      ours: perSecond(series[0]?.median),
      against: perSecond(series[1]?.median),
      figure: ratios[1] as number,
      goal: { atLeast: 0.8 },
      comment: `medians ${milliseconds(beside)} and ${milliseconds(besidePlain)}; the neighbours ${perSecond(fanOutRate)} and ${perSecond(plainRate)}; others used ${otherCpus.toFixed(2)} processors`,
    },
    {
      measurement: 'fan-out',
      what: 'the same ÷ alone',
      ours: perSecond(series[0]?.median),
      against: perSecond(series[2]?.median),
      figure: ratios[2] as number,
      comment: `median alone ${milliseconds(alone)}`,
    },
    {
      measurement: 'fan-out',
      what: `creates beside a tenant that creates at full rate with ${endpoints} endpoints that hang ÷ with none`,
      ours: perSecond(series[3]?.median),
      against: perSecond(series[1]?.median),
      figure: (series[3]?.median ?? 0) / (series[1]?.median ?? 1),
      goal: { atLeast: 0.8 },
      comment: `the neighbour ${perSecond(hangingRate)}`,
    },
  ];
}

const besides = ({ port }: Service, { key }: Merchant, channelId: number): LoadJob => ({
  port,
  requests: createRequests(key, channelId),
  connections: neighbourConnections,
  seconds: 4,
  warmUpSeconds: 0,
});
