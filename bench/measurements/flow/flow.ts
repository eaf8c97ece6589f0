import type { Bench, Line } from '../../bench.ts';
import { milliseconds, perSecond } from '../../report/format.ts';
import { closeFlowShop, type FlowResult, type FlowShop, offer, openFlowShop } from './offered.ts';

const mostPostP99Ms = 1_000;
const mostSuccessP99Ms = 2_000;

/** One run at the rate of `--rate`: what was offered, accepted, charged and posted, and the CPU time of a payment. */
export async function offeredFlow(bench: Bench): Promise<Line[]> {
  const shop = await openFlowShop(bench);
  const result = await offer(bench, shop, {
    ratePerSecond: bench.steadyRate ?? 100,
    seconds: bench.minutes === undefined ? 20 : bench.minutes * 60,
  });
  await closeFlowShop(shop);
  return linesOf('flow-at', result);
}

function linesOf(measurement: string, result: FlowResult): Line[] {
  const { offered, accepted, postP99Ms, successP99Ms, drainedMs, cpu } = result;
  return [
    {
      measurement,
      what: `p99 from event to post, ${perSecond(accepted)} accepted of ${perSecond(offered)}`,
      ours: milliseconds(postP99Ms),
      against: milliseconds(mostPostP99Ms),
      figure: postP99Ms,
      goal: { atMost: mostPostP99Ms },
      comment: `µs node + postgres: ${cpu.nodeUs.toFixed(0)} + ${cpu.postgresUs.toFixed(0)}; all done ${milliseconds(drainedMs)} after the last create`,
    },
    {
      measurement,
      what: 'p99 from create to SUCCESS',
      ours: milliseconds(successP99Ms),
      against: milliseconds(mostSuccessP99Ms),
      figure: successP99Ms,
      goal: { atMost: mostSuccessP99Ms },
    },
  ];
}

export type { FlowShop };
