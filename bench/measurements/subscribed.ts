import type { Bench, Line } from '../bench.ts';
import { cpuRemark, perSecond } from '../format.ts';
import { ask, end } from '../processes/owned.ts';
import type { Received } from '../processes/receiver.ts';
import { startReceiver } from '../receiver.ts';
import { createRequests } from '../requests.ts';
import { interleave, median } from '../rounds.ts';

const rounds = 4;
const endpoints = 3;

/**
 * Creates a second of a merchant with three endpoints that are sent every event, against those of one without, on
 * one service. Between the rounds what is still to be sent is dropped, or it would slow the other side down.
 */
export async function subscribed(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const receiver = await startReceiver();
  const listening = await service.makeMerchant('listening');
  for (let i = 0; i < endpoints; i++) {
    const endpoint = { url: `http://127.0.0.1:${receiver.port}/${i}`, events: ['*'], secret: 'whsec_bench' };
    await service.call('POST', '/api/webhook/register', `ApiKey ${listening.key}`, endpoint);
  }
  const sentPerSecond: number[] = [];
  const { series, ratios, foreignCpus } = await interleave(rounds, [
    {
      name: 'with endpoints',
      run: async () => {
        await ask(receiver.process, { reset: true });
        const sample = await bench.rate(
          { port: service.port, requests: createRequests(listening.key, channelId) },
          () => service.cpu(),
        );
        const { posts, firstAtMs, lastAtMs } = await ask<Received>(receiver.process, {});
        sentPerSecond.push(posts / ((lastAtMs - firstAtMs) / 1000));
        await service.empty();
        await service.settled();
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
  await end(receiver.process);
  return [
    {
      measurement: 'subscribed',
      what: `creates with ${endpoints} endpoints subscribed ÷ without`,
      ours: perSecond(series[0]?.median),
      against: perSecond(series[1]?.median),
      figure: ratios[1] as number,
      goal: { atLeast: 0.6 },
      remark: `${perSecond(median(sentPerSecond))} deliveries meanwhile; ${cpuRemark(series, foreignCpus)}`,
    },
  ];
}
