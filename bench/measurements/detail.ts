import { type Bench, type Line, startOther } from '../bench.ts';
import { cpuRemark, perSecond } from '../format.ts';
import { end } from '../processes/owned.ts';
import { createRequests, detailRequests } from '../requests.ts';
import { interleave } from '../rounds.ts';

const rounds = 4;
/** Asked for by turns. */
const payments = 5_000;

/** Details a second against what Fastify alone answers to a GET of the same shape. */
export async function detail(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  await bench.load({ port: service.port, requests: createRequests(merchant.key, channelId), seconds: 1 });
  const rows = await service.query<{ id: string }>(
    `select 'txn_' || replace(id::text, '-', '') as id from transaction
      where tenant_id = ${merchant.tenantId} order by random() limit ${payments}`,
  );
  await service.query('vacuum analyze transaction');
  const requests = detailRequests(
    merchant.key,
    rows.map(({ id }) => id),
  );
  const bare = await startOther('bare-server.ts', [merchant.key]);
  const { series, ratios, foreignCpus } = await interleave(rounds, [
    { name: 'detail', run: () => bench.rate({ port: service.port, requests }, () => service.cpu()) },
    { name: 'bare Fastify GET', run: () => bench.rate({ port: bare.port, requests }, bare.cpu) },
  ]);
  await end(bare.process);
  return [
    {
      measurement: 'detail',
      what: 'details ÷ bare Fastify GET, 64 connections',
      ours: perSecond(series[0]?.median),
      against: perSecond(series[1]?.median),
      figure: ratios[1] as number,
      goal: { atLeast: 0.5 },
      remark: cpuRemark(series, foreignCpus),
    },
  ];
}
