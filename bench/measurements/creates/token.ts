import type { Bench, Line } from '../../bench.ts';
import { cpuComment, perSecond } from '../../report/format.ts';
import { createRequests, createRequestsOf } from '../../requests.ts';
import { interleave, type Series } from '../../rounds.ts';

const rounds = 6;
const seconds = 2;

/** Compares creates with the access token of an administrator with creates with a developer key. */
export async function token(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const administrator = await service.loginAsAdministrator();
  const side = (name: string, requests: string[]) => ({
    name,
    run: () => bench.rate({ port: service.port, requests, seconds }, () => service.cpu()),
  });
  const { series, otherCpus } = await interleave(rounds, [
    side('token', createRequestsOf(administrator, channelId)),
    side('key', createRequests(merchant.key, channelId)),
  ]);
  const [ours, against] = series;
  const cpuOf = (side?: Series) => (side?.cpu?.nodeUs ?? Number.NaN) + (side?.cpu?.postgresUs ?? Number.NaN);
  return [
    {
      measurement: 'token',
      what: 'CPU time of a create with an access token ÷ with a developer key',
      ours: perSecond(ours?.median),
      against: perSecond(against?.median),
      figure: cpuOf(ours) / cpuOf(against),
      goal: { atMost: 1.2 },
      comment: cpuComment(series, otherCpus),
    },
  ];
}
