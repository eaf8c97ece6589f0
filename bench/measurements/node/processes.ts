import type { Bench, Line } from '../../bench.ts';
import { cpuComment, perSecond } from '../../report/format.ts';
import { createRequests, detailRequests } from '../../requests.ts';
import { interleave } from '../../rounds.ts';
import { openShop, type Shop } from '../../shop.ts';

const rounds = 4;
const connections = 64;
const payments = 1_000;
const defaultProcesses = 2;

/**
 * Compares a node of several processes (`--processes`) with a node of one. Where processes, PostgreSQL and the
 * generator share fewer cores than there are processes, the figure shows only what the further processes cost.
 */
export async function processes(bench: Bench): Promise<Line[]> {
  const count = bench.processes > 1 ? bench.processes : defaultProcesses;
  const [several, one] = [await openShop(count), await openShop(1)];
  const creates = await interleave(rounds, [createsOf(bench, several), createsOf(bench, one)]);
  const details = await interleave(rounds, [await detailsOf(bench, several), await detailsOf(bench, one)]);
  for (const { service } of [several, one]) await service.stop();
  return [
    { what: 'creates', result: creates },
    { what: 'details', result: details },
  ].map(({ what, result: { series, ratios, otherCpus } }) => ({
    measurement: 'processes',
    what: `${what} of ${count} processes ÷ one, ${connections} connections`,
    ours: perSecond(series[0]?.median),
    against: perSecond(series[1]?.median),
    figure: ratios[1] as number,
    comment: cpuComment(series, otherCpus),
  }));
}

const createsOf = (bench: Bench, { service, merchant, channelId }: Shop) => ({
  name: `creates, ${service.processes}`,
  run: () =>
    bench.rate({ port: service.port, requests: createRequests(merchant.key, channelId), connections }, () =>
      service.cpu(),
    ),
});

async function detailsOf(bench: Bench, { service, merchant }: Shop) {
  const rows = await service.query<{ id: string }>(
    `select 'txn_' || replace(id::text, '-', '') as id from transaction order by id limit ${payments}`,
  );
  await service.query('vacuum analyze transaction');
  const ids = rows.map(({ id }) => id);
  return {
    name: `details, ${service.processes}`,
    run: () =>
      bench.rate({ port: service.port, requests: detailRequests(merchant.key, ids), connections }, () => service.cpu()),
  };
}
