import { modules } from '@florin/server/app/modules.ts';
import { expect, test } from 'vitest';
import { pathsWithMode } from '../src/api/mode.ts';

interface DeclaredRoute {
  method: string;
  path: string;
  endpoint: { query?: object };
}

/** The console shows those of both modes, or none. */
const ofBothModes: ReadonlySet<string> = new Set(['/api/clock/list', '/api/inbox/list', '/api/request/list']);

test('the console names the mode wherever the service shows records of one mode at a time', () => {
  const routes = modules.flatMap(({ routes = [] }) => routes as readonly DeclaredRoute[]);
  const paths = routes.flatMap(({ method, path, endpoint: { query = {} } }) => {
    const { properties = {} } = query as { properties?: object };
    return method === 'GET' && 'livemode' in properties && !ofBothModes.has(path) ? [path] : [];
  });
  expect(paths.sort()).toEqual([...pathsWithMode].sort());
});
