import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Type } from 'typebox';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { csvLine } from '../../core/csv.ts';
import { routesFor } from '../http/routes-for.ts';
import { addRoute } from '../http/server/add-route.ts';
import { httpServer } from '../http/server/server.ts';
import { exportOf, exportTypeOf, exportTypes, recordFormat } from './export.ts';
import type { Slice } from './list.ts';

test.each([
  [undefined, undefined],
  ['*/*', undefined],
  ['application/json', undefined],
  ['text/html,application/xhtml+xml,*/*;q=0.8', undefined],
  ['text/csv', 'text/csv'],
  ['Text/CSV; charset=utf-8', 'text/csv'],
  ['application/x-ndjson', 'application/x-ndjson'],
  ['application/json;q=0.5, application/x-ndjson', 'application/x-ndjson'],
  ['application/json, text/csv;q=0.9', undefined],
  ['text/csv;q=0', undefined],
  ['text/csv;q=x', undefined],
])('Accept: %s asks for %s', (accept, type) => {
  expect(exportTypeOf(accept)).toBe(type);
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@sum', "'@sum"],
  ['\tx', "'\tx"],
  ['\r=x', `"'\r=x"`],
  ['\n=x', `"'\n=x"`],
  ['\nx', `"'\nx"`],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['−1', "'−1"],
  ['＠sum', "'＠sum"],
  ['﹦1', "'﹦1"],
  [' =1', "' =1"],
  ['\u3000＝1', "'\u3000＝1"],
  ['\u200b\ufeff@sum', "'\u200b\ufeff@sum"],
  ['=a,"b"', `"'=a,""b"""`],
])('a text cell %j cannot be run as a formula', (text, cell) => {
  expect(csvLine([text])).toBe(`${cell}\r\n`);
});

test.each(['a=1', ' a', 'Zoë', '(=1)', '–', '5 - 3'])('a text cell %j is left as it is', (text) => {
  expect(csvLine([text])).toBe(`${text}\r\n`);
});

test('cells hold text, numbers, JSON and nothing', () => {
  expect(csvLine(['a "b"', -5, null, { a: [1] }, true, 'Zürich\n', undefined])).toBe(
    '"a ""b""",-5,,"{""a"":[1]}",true,"Zürich\n",\r\n',
  );
});

/** An endless list. */
function endless() {
  const reads: Slice[] = [];
  const list = {
    read: async (slice: Slice) => {
      reads.push(slice);
      const first = reads.length * 1_000;
      return {
        rows: Array.from({ length: 1_000 }, (_, i) => ({ id: first + i, text: 'x'.repeat(200) })),
        nextKey: `${first}`,
      };
    },
  };
  return { list, reads };
}

const format = recordFormat<{ id: number; text: string }>(['id', 'text'], (row) => row);

test('rows are read only as fast as the client receives them', async () => {
  const { list, reads } = endless();
  const stream = await exportOf(list, 'application/x-ndjson', format);
  await once(stream, 'readable');
  stream.read();
  await new Promise((resolve) => setImmediate(resolve));
  expect(reads.length).toBeLessThanOrEqual(3);
  expect(reads[1]).toEqual({ belowKey: '1000', take: 1_000 });
  stream.destroy();
});

test.each(exportTypes)('an export as %s ends when its client disconnects, and is not read for HEAD', async (accept) => {
  const { list, reads } = endless();
  const closed = Promise.withResolvers<void>();
  const app = httpServer({ authenticate: () => Promise.reject(), onReply: () => {}, onDefect: () => {} });
  const route = routesFor<undefined>().get('/api/list', 'nothing', 'Tests', {
    summary: 'List',
    data: Type.Array(Type.Object({})),
    exportTypes,
    handle: async () => {
      const content = await exportOf(list, accept, format);
      content.once('close', closed.resolve);
      return { document: { type: accept, content } };
    },
  });
  addRoute(app, route, undefined);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/list`;
  const head = await request(address, { method: 'HEAD', headers: { accept } });
  expect(head.headers['content-type']).toMatch(accept);
  await closed.promise;
  expect(reads).toHaveLength(1);

  const closedAgain = Promise.withResolvers<void>();
  closed.resolve = closedAgain.resolve;
  const { body } = await request(address, { headers: { accept } });
  await once(body, 'data');
  body.destroy();
  body.on('error', () => {});
  await closedAgain.promise;
  const readWhenClosed = reads.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(reads).toHaveLength(readWhenClosed);
  await app.close();
});
