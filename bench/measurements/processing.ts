import type { Bench, Line } from '../bench.ts';
import { cpuRemark, perSecond } from '../format.ts';
import { createRequests } from '../requests.ts';
import { interleave, type Sample } from '../rounds.ts';
import type { Merchant, Service } from '../service.ts';

const rounds = 4;
const seconds = 3;
const drainedWithinMs = 60_000;

/**
 * Payments a second from create to SUCCESS through the sandbox, against creates alone. Creates come as fast as they are
 * answered, for some seconds; the clock runs until the last of them has been charged and settled, so that nothing is
 * counted that was only put off.
 */
export async function processing(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const sandbox = await service.makeChannel('sandbox', 'sandbox');
  const { series, ratios, foreignCpus } = await interleave(rounds, [
    { name: 'to SUCCESS', run: () => toSuccess(bench, service, merchant, sandbox) },
    {
      name: 'creates',
      run: () =>
        bench.rate({ port: service.port, requests: createRequests(merchant.key, channelId), seconds }, () =>
          service.cpu(),
        ),
    },
  ]);
  await service.empty();
  return [
    {
      measurement: 'processing',
      what: 'create to SUCCESS through the sandbox, sustained ÷ creates',
      ours: perSecond(series[0]?.median),
      against: perSecond(series[1]?.median),
      figure: ratios[1] as number,
      goal: { atLeast: 0.3 },
      remark: cpuRemark(series, foreignCpus),
    },
  ];
}

async function toSuccess(bench: Bench, service: Service, merchant: Merchant, channelId: number): Promise<Sample> {
  await service.empty();
  await service.settled();
  const before = service.cpu();
  const startedAt = performance.now();
  await bench.load({
    port: service.port,
    requests: createRequests(merchant.key, channelId),
    seconds,
    warmUpSeconds: 0,
  });
  const deadline = performance.now() + drainedWithinMs;
  while (await anyUnderWay(service)) {
    if (performance.now() > deadline) throw new Error('The payments did not end within a minute.');
    await new Promise((passed) => setTimeout(passed, 20));
  }
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const after = service.cpu();
  const [{ paid, all } = { paid: 0, all: 1 }] = await service.query<{ paid: number; all: number }>(
    `select count(*) filter (where status = 'SUCCESS')::int as paid, count(*)::int as all from transaction`,
  );
  if (paid !== all) throw new Error(`${all - paid} of ${all} payments did not succeed.`);
  return {
    value: paid / elapsedSeconds,
    cpu: { nodeUs: (after.nodeUs - before.nodeUs) / paid, postgresUs: (after.postgresUs - before.postgresUs) / paid },
  };
}

async function anyUnderWay(service: Service): Promise<boolean> {
  const [row] = await service.query<{ open: boolean }>(
    'select exists (select 1 from provider_operation where finished_at is null) as open',
  );
  return row?.open === true;
}
