import { type Bench, type Line, startComparisonServer } from '../../bench.ts';
import { stopProcess } from '../../processes/children.ts';
import { cpuComment, perSecond } from '../../report/format.ts';
import { createRequests, detailRequests } from '../../requests.ts';
import { interleave } from '../../rounds.ts';

const rounds = 4;
/** Until V8 has optimized both servers. */
const warmUpSeconds = 15;
/** Requested one after the other in a cycle. */
const payments = 5_000;

/** Compares details per second with GET requests to a Fastify server without a database. */
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
  const bare = await startComparisonServer('bare-server.ts', [merchant.key]);
  for (const { port } of [service, bare]) await bench.load({ port, requests, seconds: warmUpSeconds });
  const { series, ratios, otherCpus } = await interleave(rounds, [
    { name: 'detail', run: () => bench.rate({ port: service.port, requests }, () => service.cpu()) },
    { name: 'bare Fastify GET', run: () => bench.rate({ port: bare.port, requests }, bare.cpu) },
  ]);
  await stopProcess(bare.process);
  return [
    {
      measurement: 'detail',
      what: 'details ÷ bare Fastify GET, 64 connections',
      ours: perSecond(series[0]?.median),
      against: perSecond(series[1]?.median),
      figure: ratios[1] as number,
      comment: cpuComment(series, otherCpus),
    },
  ];
}
