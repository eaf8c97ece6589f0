import { once } from 'node:events';
import { expect, test } from 'vitest';
import { launchFile, nextMessage } from '../../bench/processes/children.ts';

/** They use the schemas of the service, so that a change of a schema can break them. */
test.each(['bare-server.ts', 'three-statements-server.ts'])(
  'the server %s of the measurements starts',
  async (file) => {
    const server = launchFile(file, ['sk_live_measurements']);
    expect(await nextMessage<{ port: number }>(server)).toEqual({ port: expect.any(Number) });
    server.disconnect();
    await once(server, 'exit');
  },
);
