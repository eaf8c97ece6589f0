/** The service's posts without a database: to the same receiver, signed but unrecorded. */

import { Connections } from '@florin/server/domains/webhooks/deliveries/connections/connections.ts';
import { signedRequest } from '@florin/server/domains/webhooks/deliveries/connections/request.ts';
import { AddressGuard } from '@florin/server/domains/webhooks/endpoints/address-guard.ts';
import { signingKeys } from '@florin/server/domains/webhooks/endpoints/signature.ts';
import { serveMessages } from './messages.ts';
import type { PostJob, PostResult } from './post-loop.ts';

serveMessages(run);

const guard = new AddressGuard({ allowsPrivate: true, allowTargets: [] });
const keys = { present: signingKeys('whsec_benchmarks') };
const timeoutMs = 10_000;
const id = '0190a5b1-c2d3-7e4f-8a6b-1c2d3e4f5a6b';
const delivery = { tenant_id: 1, id, event_id: id, endpoint_id: 1, replay_of: null, type: 'transaction.created' };

async function run({ port, posts, inFlight, body }: PostJob): Promise<PostResult> {
  const connections = new Connections({ timeoutMs });
  const target = { origin: `http://127.0.0.1:${port}`, path: '/', keys };
  const sign = () => signedRequest({ ...delivery, body }, target, Date.now());
  let started = 0;
  let failures = 0;
  const startedAt = performance.now();
  const sendRemaining = async () => {
    while (started++ < posts) {
      const connection = await connections.take(target.origin, guard);
      const { status } = await connections.post(connection, sign, timeoutMs);
      if (status !== 200) failures++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sendRemaining));
  const perSecond = posts / ((performance.now() - startedAt) / 1000);
  await connections.close();
  return { perSecond, failures };
}
