import type { Bench, Line } from '../../bench.ts';
import { request, stopProcess } from '../../processes/children.ts';
import type { Received } from '../../processes/receiver.ts';
import { startReceiver } from '../../receiver.ts';
import { cpuComment, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { interleave, median } from '../../rounds.ts';

const rounds = 4;
const endpoints = 3;

/**
 * Compares creates per second of a merchant whose three endpoints receive every event with those of a merchant without
 * endpoints. Between rounds the remaining deliveries are deleted, because they would slow down the other side.
 */
export async function subscribed(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const receiver = await startReceiver();
  const subscriber = await service.createMerchant('subscriber');
  for (let i = 0; i < endpoints; i++) {
    const endpoint = { url: `http://127.0.0.1:${receiver.port}/${i}`, events: ['*'], secret: 'whsec_benchmarks' };
    await service.call('POST', '/api/webhook/register', `ApiKey ${subscriber.key}`, endpoint);
  }
  const sentPerSecond: number[] = [];
  const { series, ratios, otherCpus } = await interleave(rounds, [
    {
      name: 'with endpoints',
      run: async () => {
        await request(receiver.process, { reset: true });
        const sample = await bench.rate(
          { port: service.port, requests: createRequests(subscriber.key, channelId) },
          () => service.cpu(),
        );
        const { posts, firstAtMs, lastAtMs } = await request<Received>(receiver.process, {});
        sentPerSecond.push(posts / ((lastAtMs - firstAtMs) / 1000));
        await service.empty();
        await service.waitUntilIdle();
        return sample;
      },
    },
    {
      name: 'without',
      run: () =>
        bench.rate({ port: service.port, requests: createRequests(merchant.key, channelId) }, () => service.cpu()),
    },
  ]);
  await service.query('update webhook_endpoint set state = false');
  await stopProcess(receiver.process);
  return [
    {
      measurement: 'subscribed',
      what: `creates with ${endpoints} endpoints subscribed ÷ without`,
      ours: perSecond(series[0]?.median),
      against: perSecond(series[1]?.median),
      figure: ratios[1] as number,
      goal: { atLeast: 0.6 },
      comment: `${perSecond(median(sentPerSecond))} deliveries meanwhile; ${cpuComment(series, otherCpus)}`,
    },
  ];
}
