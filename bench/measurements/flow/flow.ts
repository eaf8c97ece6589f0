import type { Bench, Line } from '../../bench.ts';
import { milliseconds, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { closeFlowShop, type FlowEndpoints, type FlowResult, keepsUp, limits, offer, openFlowShop } from './offered.ts';

const runSeconds = 20;
const heldMinutes = 2;
/** The search begins between these rates, and ends when they are this close. */
const lowestRate = 100;
const highestRate = 4_000;
const closeEnough = 1.1;
/** A rate that was found is lowered by this much, and held again, if it does not hold for two minutes. */
const lowered = 0.9;
/** The rate at which the processor time of a payment is compared between versions. */
const quietRate = 100;

/**
 * The highest rate of creates whose charges and posts keep up, held for two minutes, and its share of the creates of
 * the same run without provider and endpoints. What a shop feels is this, not the creates alone.
 */
export async function flow(bench: Bench): Promise<Line[]> {
  const quiet = await offered(bench, { answering: 1 }, quietRate, runSeconds, { isWarm: false });
  const { result } = await sustained(bench);
  const { creates } = await createsAlone(bench);
  return [
    {
      measurement: 'flow',
      what: 'payments created, charged and posted ÷ creates alone',
      ours: perSecond(result.accepted),
      against: perSecond(creates),
      figure: result.accepted / creates,
      goal: { atLeast: 0.25 },
      comment: commentOf(result),
    },
    ...latencyLines('flow', `held for ${heldMinutes} minutes`, result),
    cpuLine('flow', 'at that rate', result),
    cpuLine('flow', `at ${quietRate} a second`, quiet),
  ];
}

/** The flow with three endpoints, with one that hangs, and with twice as much offered as it carries. */
export async function flowVariants(bench: Bench): Promise<Line[]> {
  const { rate, result: carried } = await sustained(bench);
  const half = Math.round(rate / 2);
  const three = await offered(bench, { answering: 3 }, half);
  const hanging = await offered(bench, { answering: 1, hanging: 1 }, half);
  const twice = await offered(bench, { answering: 1 }, 2 * rate);
  return [
    ...latencyLines('flow-variants', 'three endpoints, half the rate', three),
    ...latencyLines('flow-variants', 'beside an endpoint that hangs, half the rate', hanging),
    ...latencyLines('flow-variants', 'twice the rate offered', twice),
    {
      measurement: 'flow-variants',
      what: 'accepted when twice the rate is offered ÷ carried',
      ours: perSecond(twice.accepted),
      against: perSecond(carried.accepted),
      figure: twice.accepted / carried.accepted,
      goal: { atLeast: 0.9 },
      comment: commentOf(twice),
    },
  ];
}

/** One run at the rate of `--rate`: what was accepted, charged and posted, and the processor time of a payment. */
export async function flowAt(bench: Bench): Promise<Line[]> {
  const rate = bench.steadyRate ?? quietRate;
  const seconds = bench.minutes === undefined ? runSeconds : bench.minutes * 60;
  const result = await offered(bench, { answering: 1 }, rate, seconds);
  const when = `${rate} a second offered`;
  return [...latencyLines('flow-at', when, result), cpuLine('flow-at', when, result)];
}

/** The highest rate of the whole flow, and the run that held it. */
interface Sustained {
  rate: number;
  result: FlowResult;
}

/** Found once in a run of the bench: it takes minutes. */
let found: Sustained | undefined;

async function sustained(bench: Bench): Promise<Sustained> {
  found ??= await findSustained(bench);
  return found;
}

async function findSustained(bench: Bench): Promise<Sustained> {
  const shop = await openFlowShop(bench, { answering: 1 });
  const run = async (ratePerSecond: number, seconds: number) => {
    const result = await offer(bench, shop, { ratePerSecond, seconds });
    bench.log(`flow: ${ratePerSecond}/s offered for ${seconds} s: ${commentOf(result)}`);
    return result;
  };
  try {
    // The code of the whole flow is compiled only after some thousand payments.
    for (const rate of [quietRate, 10 * quietRate]) await run(rate, runSeconds);
    let [low, high] = [lowestRate, highestRate];
    while (high / low > closeEnough) {
      const rate = Math.round(Math.sqrt(low * high));
      if (keepsUp(await run(rate, runSeconds))) low = rate;
      else high = rate;
    }
    for (let rate = low; ; rate = Math.round(rate * lowered)) {
      const result = await run(rate, heldMinutes * 60);
      if (keepsUp(result) || rate <= lowestRate) return { rate, result };
    }
  } finally {
    await closeFlowShop(shop);
  }
}

async function offered(
  bench: Bench,
  endpoints: FlowEndpoints,
  ratePerSecond: number,
  seconds = runSeconds,
  { isWarm = true } = {},
): Promise<FlowResult> {
  const shop = await openFlowShop(bench, endpoints);
  try {
    // What the first payments of a process cost says little about all others.
    await offer(bench, shop, { ratePerSecond: isWarm ? ratePerSecond : quietRate, seconds: runSeconds / 2 });
    const result = await offer(bench, shop, { ratePerSecond, seconds });
    bench.log(`flow: ${ratePerSecond}/s offered for ${seconds} s: ${commentOf(result)}`);
    return result;
  } finally {
    await closeFlowShop(shop);
  }
}

async function createsAlone(bench: Bench): Promise<{ creates: number }> {
  const { service, merchant, channelId } = await bench.emptyShop();
  await service.waitUntilIdle();
  const requests = createRequests(merchant.key, channelId);
  const { value } = await bench.rate({ port: service.port, requests, seconds: runSeconds }, () => service.cpu());
  return { creates: value };
}

function latencyLines(measurement: string, when: string, { postP99Ms, successP99Ms }: FlowResult): Line[] {
  return [
    {
      measurement,
      what: `p99 from event to post, ${when}`,
      ours: milliseconds(postP99Ms),
      against: milliseconds(limits.postP99Ms),
      figure: postP99Ms,
      goal: { atMost: limits.postP99Ms },
    },
    {
      measurement,
      what: `p99 from create to SUCCESS, ${when}`,
      ours: milliseconds(successP99Ms),
      against: milliseconds(limits.successP99Ms),
      figure: successP99Ms,
      goal: { atMost: limits.successP99Ms },
    },
  ];
}

/** No goal by itself: it is compared with another version (`against PATH`). */
function cpuLine(measurement: string, when: string, result: FlowResult): Line {
  const { nodeUs, postgresUs } = result.cpu;
  return {
    measurement,
    what: `µs of processor time a payment, ${when}`,
    ours: `${nodeUs.toFixed(0)} + ${postgresUs.toFixed(0)} µs`,
    against: '',
    figure: nodeUs + postgresUs,
    comment: commentOf(result),
  };
}

function commentOf({ offered, accepted, postP99Ms, successP99Ms, drainedMs, cpu }: FlowResult): string {
  const latencies = `posts ${milliseconds(postP99Ms)}, SUCCESS ${milliseconds(successP99Ms)} (p99)`;
  const used = `µs node + postgres: ${cpu.nodeUs.toFixed(0)} + ${cpu.postgresUs.toFixed(0)}`;
  return (
    `${perSecond(accepted)} accepted of ${perSecond(offered)}; ${latencies}; all done ` +
    `${milliseconds(drainedMs)} after the last create; ${used}`
  );
}
