import { type Bench, type Line, startComparisonServer } from '../../bench.ts';
import { createComparisonDatabase } from '../../comparison-database.ts';
import { findPgbench, runPgbench } from '../../pgbench.ts';
import { stopProcess } from '../../processes/children.ts';
import { cpuComment, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { interleave } from '../../rounds.ts';

const rounds = 4;
const seconds = 3;
const warmUpSeconds = 20;
/** The fastest of the tested numbers. PostgreSQL allows 50 connections in total. */
const transactionConnections = 16;
const pgbenchConnections = 24;
/** Time until the pool of the comparison server has closed its idle connections, so that pgbench can open its own. */
const idleConnectionsCloseMs = 600;

/**
 * Compares creates per second with the usual design, BEGIN, three statements and COMMIT per request, and with pgbench,
 * which writes the same rows with one statement per payment and without HTTP. All use the same PostgreSQL.
 */
export async function usualWay(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const connection = await createComparisonDatabase(service);
  const perRequest = await startComparisonServer('three-statements-server.ts', [
    merchant.key,
    JSON.stringify(connection),
    String(transactionConnections),
  ]);
  const requests = createRequests(merchant.key, channelId);
  for (const { port } of [service, perRequest]) await bench.load({ port, requests, seconds: warmUpSeconds });
  const postgresOnly = () => ({ nodeUs: 0, postgresUs: service.cpu().postgresUs });
  const { series, ratios, otherCpus } = await interleave(rounds, [
    { name: 'creates', run: () => bench.rate({ port: service.port, requests, seconds }, () => service.cpu()) },
    {
      name: 'three statements',
      run: () =>
        bench.rate({ port: perRequest.port, requests, seconds }, () => ({
          nodeUs: perRequest.cpu().nodeUs,
          postgresUs: service.cpu().postgresUs,
        })),
    },
    {
      name: 'pgbench',
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, idleConnectionsCloseMs));
        const before = postgresOnly();
        const { perSecond: value, transactions } = await runPgbench(connection, pgbenchConnections, seconds);
        const postgresUs = (postgresOnly().postgresUs - before.postgresUs) / transactions;
        return { value, cpu: { nodeUs: 0, postgresUs } };
      },
    },
  ]);
  await stopProcess(perRequest.process);
  const [ours, three, pgbench] = series;
  const comment = cpuComment(series, otherCpus);
  return [
    {
      measurement: 'usual-way',
      what: 'creates ÷ BEGIN, three statements, COMMIT per request',
      ours: perSecond(ours?.median),
      against: perSecond(three?.median),
      figure: ratios[1] as number,
      goal: { atLeast: 4 },
      comment,
    },
    {
      measurement: 'usual-way',
      what: `creates ÷ ${findPgbench() === undefined ? 'a loop over plain connections' : 'pgbench'} writing the same`,
      ours: perSecond(ours?.median),
      against: perSecond(pgbench?.median),
      figure: ratios[2] as number,
    },
  ];
}
