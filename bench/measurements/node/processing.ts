import type { Bench, Line } from '../../bench.ts';
import { cpuComment, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { interleave, type Sample } from '../../rounds.ts';
import type { Merchant, Service } from '../../service.ts';

const rounds = 4;
const seconds = 3;
const drainDeadlineMs = 60_000;

/**
 * Compares payments per second from create to SUCCESS through the sandbox with creates alone. Creates run at the
 * maximum rate for some seconds, and the time counts until the last payment has been charged and settled, so that
 * deferred work is included.
 */
export async function processing(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const sandbox = await service.createChannel('sandbox', 'sandbox');
  const tester = await service.createMerchant('tester', false);
  const { series, ratios, otherCpus } = await interleave(rounds, [
    { name: 'to SUCCESS', run: () => measureToSuccess(bench, service, tester, sandbox) },
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
      comment: cpuComment(series, otherCpus),
    },
  ];
}

async function measureToSuccess(
  bench: Bench,
  service: Service,
  merchant: Merchant,
  channelId: number,
): Promise<Sample> {
  await service.empty();
  await service.waitUntilIdle();
  const before = service.cpu();
  const startedAt = performance.now();
  await bench.load({
    port: service.port,
    requests: createRequests(merchant.key, channelId),
    seconds,
    warmUpSeconds: 0,
  });
  const deadline = performance.now() + drainDeadlineMs;
  while (await hasUnfinishedOperations(service)) {
    if (performance.now() > deadline) throw new Error('The payments did not end within a minute.');
    await new Promise((resolve) => setTimeout(resolve, 20));
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

async function hasUnfinishedOperations(service: Service): Promise<boolean> {
  const [row] = await service.query<{ open: boolean }>(
    'select exists (select 1 from provider_operation where finished_at is null) as open',
  );
  return row?.open === true;
}
