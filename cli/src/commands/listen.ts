import { createHash, randomBytes } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Event, FlorinError } from '../../../sdk/src/index.ts';
import { openInBrowser } from '../browser.ts';
import type { AddCommands, Cli } from '../cli.ts';
import { followEvents, matchesAny, Position, type StoredPosition } from '../events/follow.ts';
import { usageFailure } from '../failures.ts';
import { onKeyPress } from '../key-presses.ts';

export const addListen: AddCommands = (program, run) => {
  program
    .command('listen')
    .description('forward events to a program on this machine, signed like webhooks')
    .option('--forward-to <url>', 'where to post them; without it they are only printed')
    .option('--events <types>', 'comma-separated: transaction.*,refund.failed', '*')
    .option('--secret <secret>', 'the signing secret; by default one is generated and kept')
    .option('--from-now', 'skip the events since the last run')
    .action(run(listen));
};

interface ListenOptions {
  forwardTo?: string;
  events: string;
  secret?: string;
  fromNow?: boolean;
}

const secretFile = 'listen-secret.json';
/** A run continues where the last one ended if that is not longer ago than this. */
const resumeWithinMs = 3_600_000;

interface SavedPosition extends StoredPosition {
  atMs: number;
}

async function listen(cli: Cli, options: ListenOptions): Promise<void> {
  const { florin, out, config, signal, url, mode } = cli;
  const target = options.forwardTo === undefined ? undefined : addressOf(options.forwardTo);
  const patterns = options.events.split(',').map((pattern) => pattern.trim());
  const secret = options.secret ?? storedSecret(cli);
  const file = `listen-${createHash('sha256')
    .update(JSON.stringify([url, target, mode]))
    .digest('hex')
    .slice(0, 16)}.json`;
  const position = options.fromNow === true ? undefined : resumable(config.read<SavedPosition>(file));
  out.note(`Signing secret: ${secret}`);
  // Without a position, the first read of the list decides which event is the first to be forwarded.
  let isListening = false;
  const listening = (): void => {
    if (isListening) return;
    isListening = true;
    if (position !== undefined)
      out.note('Continuing where the last run ended; --from-now skips the events since then.');
    out.note(`Listening to ${url}${target === undefined ? '' : `, forwarding to ${target}`}. Ctrl-C ends it.`);
    if (cli.system.isTerminal) out.note('Keys: r posts the last event again, o opens it in the browser.');
  };
  if (position !== undefined) listening();
  const positionWriter = new PositionWriter((reached) => config.write(file, { ...reached.toJSON(), atMs: Date.now() }));
  let isLost = false;
  const onConnectionChange = (error: FlorinError | undefined): void => {
    if (isLost === (error !== undefined)) return;
    isLost = error !== undefined;
    out.note(error === undefined ? 'Connected again.' : `Connection lost: ${error.message} Trying again.`);
  };
  const events = followEvents(florin, {
    position,
    signal,
    ...mode,
    onPosition: (reached) => {
      positionWriter.reached(reached);
      listening();
    },
    onConnectionChange,
  });
  let last: Event | undefined;
  const post = async (event: Event): Promise<void> => {
    const { id, type, createdTime } = event;
    const payload = await retryWhileUnavailable(signal, onConnectionChange, () =>
      florin.events.get(id, { signal }).then(({ payload }) => payload),
    );
    const exchange = await forward(target as string, payload, secret, cli);
    if (out.isJson) return out.row({ createdTime, type, id, ...exchange }, []);
    const { result, durationMs, response } = exchange;
    const isAccepted = typeof result === 'number' && result >= 200 && result < 300;
    const words = [createdTime, type, id, meaningOf(result), `${durationMs} ms`];
    out.line(words.join(cli.system.isTerminal ? '  ' : '\t'), isAccepted ? 'green' : 'red');
    if (!isAccepted && response) out.note(response.replaceAll(/^/gm, '    '));
  };
  const retry = (): void => {
    if (last !== undefined && target !== undefined) post(last).catch((error: Error) => out.note(error.message));
  };
  const stopKeys = onKeyPress(cli.system, {
    r: retry,
    o: () => last && openInBrowser(`${url.replace(/\/+$/, '')}/events/${encodeURIComponent(last.id)}`, cli),
  });
  try {
    for await (const event of events) {
      if (!matchesAny(event.type, patterns)) continue;
      last = event;
      if (target === undefined)
        out.row({ createdTime: event.createdTime, type: event.type, id: event.id }, ['createdTime', 'type', 'id']);
      else await post(event);
    }
  } finally {
    stopKeys();
    positionWriter.write();
  }
}

/** Limited because a position holds all events of a minute. */
const writeEveryMs = 250;

/**
 * Stores how far events were handled, for the next run. After a kill, the events of the last quarter of a second are
 * forwarded again.
 */
class PositionWriter {
  readonly #store: (position: Position) => void;
  #unwritten: Position | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: (position: Position) => void) {
    this.#store = store;
  }

  reached(position: Position): void {
    this.#unwritten = position;
    this.#timer ??= setTimeout(() => this.write(), writeEveryMs);
  }

  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unwritten !== undefined) this.#store(this.#unwritten);
    this.#unwritten = undefined;
  }
}

function addressOf(text: string): string {
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text);
  const url = URL.parse(hasScheme ? text : `http://${text}`);
  // A number alone would be the host: 3000 is 0.0.11.184.
  if (url === null || !/^https?:$/.test(url.protocol) || /^\d+([/?#]|$)/.test(text))
    throw usageFailure(`--forward-to ${text} is not an address, such as http://127.0.0.1:3000/webhooks.`);
  return url.href;
}

/** The same in every run, so that the receiver can keep it. */
function storedSecret({ config }: Cli): string {
  const kept = config.read<{ secret: string }>(secretFile);
  if (kept !== undefined) return kept.secret;
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  config.write(secretFile, { secret });
  return secret;
}

function resumable(left: SavedPosition | undefined): Position | undefined {
  return left !== undefined && Date.now() - left.atMs < resumeWithinMs ? new Position(left) : undefined;
}

/** For a service that stops between listing an event and returning it, for longer than the SDK retries. */
async function retryWhileUnavailable<Result>(
  signal: AbortSignal,
  onConnectionChange: (error: FlorinError | undefined) => void,
  read: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      const result = await read();
      onConnectionChange(undefined);
      return result;
    } catch (error) {
      if (!(error instanceof FlorinError) || !error.retryable || signal.aborted) throw error;
      onConnectionChange(error);
      await pause(1_000, undefined, { signal });
    }
  }
}

interface Exchange {
  /** The HTTP status, or why there was no response. */
  result: string | number;
  durationMs: number;
  request: unknown;
  response: string | null;
}

/** `404 Not Found`; why there was no response is told in words. */
function meaningOf(result: string | number): string {
  if (typeof result === 'number') return `${result} ${STATUS_CODES[result] ?? ''}`.trimEnd();
  return reasons[result] ?? result;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no answer: nothing listens there (ECONNREFUSED)',
  ENOTFOUND: 'no answer: the host is unknown (ENOTFOUND)',
  ECONNRESET: 'no answer: the connection was closed (ECONNRESET)',
  UND_ERR_SOCKET: 'no answer: the connection was closed (UND_ERR_SOCKET)',
};

async function forward(
  target: string,
  payload: Record<string, unknown>,
  secret: string,
  { florin, signal }: Cli,
): Promise<Exchange> {
  const { body, headers } = await florin.webhooks.signForTest(payload as never, secret);
  const startedAt = performance.now();
  const endOf = (result: string | number, response: string | null): Exchange => ({
    result,
    durationMs: Math.round(performance.now() - startedAt),
    request: payload,
    response,
  });
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
    const response = await fetch(target, { method: 'POST', body, headers, signal: limit, redirect: 'manual' });
    return endOf(response.status, (await response.text()).slice(0, 2_000));
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
    return endOf(cause?.code ?? cause?.message ?? message, null);
  }
}
