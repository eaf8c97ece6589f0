import { setTimeout as pause } from 'node:timers/promises';
import { FlorinError, type ListedRequest } from '../../../sdk/src/index.ts';
import type { AddCommands, Cli } from '../cli.ts';
import { first, pageSizeFor } from './payments.ts';

export const addLogs: AddCommands = (program, run) => {
  const logs = program.command('logs').description('requests to the service, and how they were answered');
  const filtered = (name: string, description: string) =>
    logs
      .command(name)
      .description(description)
      .option('--status <status>', 'only this status (409) or class (4xx)')
      .option('--method <method>', 'only GET or only POST')
      .option('--path <path>', 'only paths with this prefix: /api/transaction/')
      .option('--error <type>', 'only requests that were refused with this type');
  filtered('tail', 'show requests as they arrive').action(run(tail));
  filtered('list', 'list requests, newest first').option('--limit <number>', 'maximum number', '20').action(run(list));
  logs
    .command('get')
    .description('show a request, with the reason if it was refused')
    .argument('<id>')
    .action(run(async ({ florin, out }: Cli, id: string) => out.record(await florin.requests.get(id))));
};

interface Filters {
  status?: string;
  method?: 'GET' | 'POST';
  path?: string;
  error?: string;
}

const columns = ['createdTime', 'status', 'method', 'path', 'durationMs', 'requestId', 'error.message'];

const paramsOf = ({ mode }: Cli, { status, method, path, error }: Filters) =>
  ({ status, method, path, errorType: error, fields: 'error', ...(mode.livemode === true && mode) }) as const;

async function list(cli: Cli, { limit, ...filters }: Filters & { limit: string }): Promise<void> {
  const { florin, out } = cli;
  const requests = florin.requests.list({ ...paramsOf(cli, filters), pageSize: pageSizeFor(limit) });
  await out.rows(first(requests, limit), columns);
}

const pollMs = 1_000;
const maxPollMs = 5_000;
/** Requests of another node may appear late, because each node writes once a second. */
const overlapMs = 5_000;

async function tail(cli: Cli, filters: Filters): Promise<void> {
  const { florin, out, signal, url } = cli;
  const options = { signal, maxRetries: 0 };
  const seen = new Map<string, number>();
  let newestMs: number | undefined;
  let failures = 0;
  for (;;) {
    try {
      const isFirst = newestMs === undefined;
      // The newest of all requests, because a filter that rarely matches would read the whole log.
      newestMs ??=
        (await florin.requests.list({ ...paramsOf(cli, {}), pageSize: 1 }, options)).data.map(timeOf)[0] ?? 0;
      const params = {
        ...paramsOf(cli, filters),
        startDate: new Date(Math.max(0, newestMs - overlapMs)).toISOString(),
      };
      const found = await florin.requests.list({ ...params, pageSize: 100 }, options).toArray();
      const fresh = found.filter(({ id }) => !seen.has(id)).reverse();
      for (const request of fresh) {
        if (!isFirst) out.row(request, columns);
        seen.set(request.id, timeOf(request));
        newestMs = Math.max(newestMs, timeOf(request));
      }
      for (const [id, atMs] of seen) if (atMs < newestMs - 2 * overlapMs) seen.delete(id);
      if (isFirst) out.note(`Watching requests to ${url}. Ctrl-C ends it.`);
      if (failures > 0) out.note('Connected again.');
      failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FlorinError && error.retryable)) throw error;
      if (failures++ === 0) out.note(`Connection lost: ${error.message} Trying again.`);
    }
    await pause(Math.min(maxPollMs, pollMs * 2 ** Math.min(failures, 5)), undefined, { signal });
  }
}

const timeOf = ({ createdTime }: ListedRequest) => Date.parse(createdTime);
