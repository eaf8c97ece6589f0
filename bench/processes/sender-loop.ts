/** What the service's own sender can do without a database: the same posts, signed, to the same receiver, unrecorded. */
import { signedRequest } from '../../server/src/domains/webhooks/deliveries/sending/request.ts';
import { Sender } from '../../server/src/domains/webhooks/deliveries/sending/sender.ts';
import { AddressGuard } from '../../server/src/domains/webhooks/endpoints/address-guard.ts';
import { signingKeys } from '../../server/src/domains/webhooks/endpoints/signature.ts';
import { answerMessages } from './answer.ts';
import type { PostJob, PostResult } from './post-loop.ts';

answerMessages(run);

const { lookup } = new AddressGuard({ standalone: true, allowTargets: [] });
const keys = { present: signingKeys('whsec_bench') };
const id = '0190a5b1-c2d3-7e4f-8a6b-1c2d3e4f5a6b';
const delivery = { tenant_id: 1, id, event_id: id, endpoint_id: 1, replay_of: null, type: 'transaction.created' };

async function run({ port, posts, inFlight, body }: PostJob): Promise<PostResult> {
  const sender = new Sender({ timeoutMs: 10_000, lookup });
  const target = { origin: `http://127.0.0.1:${port}`, path: '/', keys };
  const outgoing = { origin: target.origin, write: () => signedRequest({ ...delivery, body }, target, Date.now()) };
  let begun = 0;
  let failures = 0;
  const startedAt = performance.now();
  const line = async () => {
    while (begun++ < posts) {
      const sent = await sender.send(outgoing);
      if (sent?.status !== 200) failures++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, line));
  const perSecond = posts / ((performance.now() - startedAt) / 1000);
  await sender.close();
  return { perSecond, failures };
}
