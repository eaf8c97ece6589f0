/** A bare undici loop: the same posts to the same receiver with the same concurrency, unsigned and unrecorded. */
import { Pool } from 'undici';
import { serveMessages } from './messages.ts';

export interface PostJob {
  port: number;
  posts: number;
  inFlight: number;
  headers: string[];
  body: string;
}

export interface PostResult {
  perSecond: number;
  failures: number;
}

serveMessages(run);

async function run({ port, posts, inFlight, headers, body }: PostJob): Promise<PostResult> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: inFlight, pipelining: 1 });
  const bytes = Buffer.from(body);
  let started = 0;
  let ended = 0;
  let failures = 0;
  const startedAt = performance.now();
  await new Promise<void>((done) => {
    const next = () => {
      if (started === posts) return;
      started++;
      let status = 0;
      const finish = () => {
        if (status !== 200) failures++;
        if (++ended === posts) done();
        else next();
      };
      pool.dispatch(
        { method: 'POST', path: '/', headers, body: bytes },
        {
          onRequestStart() {},
          onResponseStart(_controller, code) {
            status = code;
          },
          onResponseData() {},
          onResponseEnd: finish,
          onResponseError: finish,
        },
      );
    };
    for (let i = 0; i < inFlight; i++) next();
  });
  const perSecond = posts / ((performance.now() - startedAt) / 1000);
  await pool.close();
  return { perSecond, failures };
}
