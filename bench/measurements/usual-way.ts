import { type Bench, type Line, startOther } from '../bench.ts';
import { comparisonDatabase } from '../comparison-database.ts';
import { cpuRemark, perSecond } from '../format.ts';
import { findPgbench, runPgbench } from '../pgbench.ts';
import { end } from '../processes/owned.ts';
import { createRequests } from '../requests.ts';
import { interleave } from '../rounds.ts';

const rounds = 4;
const seconds = 3;
/** The best of those tried; PostgreSQL is given room for 50 in all. */
const connectionsOfTheUsualWay = 16;
const connectionsOfPgbench = 24;
/** The usual way's connections are closed when idle; pgbench needs their places. */
const idleConnectionsEndMs = 600;

/**
 * Creates a second against the usual way, BEGIN, three statements and COMMIT for each request, and against pgbench,
 * which writes the same rows in one statement at a time with no HTTP before it. All on one PostgreSQL.
 */
export async function usualWay(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const connection = await comparisonDatabase(service);
  const usual = await startOther('three-statements-server.ts', [
    merchant.key,
    JSON.stringify(connection),
    String(connectionsOfTheUsualWay),
  ]);
  const requests = createRequests(merchant.key, channelId);
  const postgresOnly = () => ({ nodeUs: 0, postgresUs: service.cpu().postgresUs });
  const { series, ratios, foreignCpus } = await interleave(rounds, [
    { name: 'creates', run: () => bench.rate({ port: service.port, requests, seconds }, () => service.cpu()) },
    {
      name: 'three statements',
      run: () =>
        bench.rate({ port: usual.port, requests, seconds }, () => ({
          nodeUs: usual.cpu().nodeUs,
          postgresUs: service.cpu().postgresUs,
        })),
    },
    {
      name: 'pgbench',
      run: async () => {
        await new Promise((passed) => setTimeout(passed, idleConnectionsEndMs));
        const before = postgresOnly();
        const { perSecond: value, transactions } = await runPgbench(connection, connectionsOfPgbench, seconds);
        const postgresUs = (postgresOnly().postgresUs - before.postgresUs) / transactions;
        return { value, cpu: { nodeUs: 0, postgresUs } };
      },
    },
  ]);
  await end(usual.process);
  const [ours, three, pgbench] = series;
  const remark = cpuRemark(series, foreignCpus);
  return [
    {
      measurement: 'usual-way',
      what: 'creates ÷ BEGIN, three statements, COMMIT per request',
      ours: perSecond(ours?.median),
      against: perSecond(three?.median),
      figure: ratios[1] as number,
      goal: { atLeast: 5 },
      remark,
    },
    {
      measurement: 'usual-way',
      what: `creates ÷ ${findPgbench() === undefined ? 'a loop over plain connections' : 'pgbench'} writing the same`,
      ours: perSecond(ours?.median),
      against: perSecond(pgbench?.median),
      figure: ratios[2] as number,
      goal: { atLeast: 1.5 },
    },
  ];
}
