import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { holderOfFolder } from '@florin/embedded-postgres';
import { hostOf } from '../config/public-url.ts';
import { type Settings, SettingsError } from '../config/settings.ts';
import { listenRefusal } from './listen.ts';

/** The answer only improves an error message. */
const identifyTimeoutMs = 1_000;
/** When the first process of a node is killed, its other processes release the port within this time. */
const releaseWithinMs = 1_000;
const probePauseMs = 50;

/**
 * Checks that the address can be listened on before anything is created: starting a database takes seconds, and a new
 * one would be left behind. A port that is taken after this check is refused when the server listens. Returns the port,
 * a free one where the setting is 0.
 *
 * @throws SettingsError that names the program which uses the port, if it can be identified
 */
export async function requireFreePort(settings: Settings): Promise<number> {
  const deadline = performance.now() + releaseWithinMs;
  for (;;) {
    const port = await probe(settings);
    if (port !== undefined) return port;
    if (performance.now() > deadline || holderOfFolder(settings['app.data-dir']) !== undefined) break;
    await sleep(probePauseMs);
  }
  throw await takenBy(settings);
}

/** Undefined: the port is taken. */
async function probe({ 'app.server.host': host, 'app.server.port': port }: Settings): Promise<number | undefined> {
  const probe = createServer();
  try {
    probe.listen({ host, port });
    await once(probe, 'listening');
    return (probe.address() as AddressInfo).port;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') return undefined;
    throw listenRefusal(code, host, port) ?? error;
  } finally {
    if (probe.listening) {
      probe.close();
      await once(probe, 'close');
    }
  }
}

async function takenBy(settings: Settings): Promise<SettingsError> {
  const { 'app.server.host': host, 'app.server.port': port, 'app.data-dir': dataDir } = settings;
  const taken = `port ${port} on ${host} is taken`;
  const another = `set PORT to a free one, for example PORT=${port === 65_535 ? port - 1 : port + 1} npm start`;
  if (!(await answersAsFlorin(settings))) {
    return new SettingsError(`${taken} by another program; stop it, or ${another}.`);
  }
  const holder = holderOfFolder(dataDir);
  if (holder === undefined) return new SettingsError(`${taken} by another Florin; stop it, or ${another}.`);
  return new SettingsError(
    `${taken} by another Florin, and data folder ${dataDir} is in use by process ${holder}; ` +
      'stop that process first, or set both PORT and APP_DATA_DIR to others.',
  );
}

/** Whether a Florin listens on the configured address. */
export async function answersAsFlorin(settings: Settings): Promise<boolean> {
  const address = `http://${hostOf(settings)}:${settings['app.server.port']}`;
  try {
    const response = await fetch(`${address}/health/live`, { signal: AbortSignal.timeout(identifyTimeoutMs) });
    const { code, data } = (await response.json()) as { code?: number; data?: { status?: string } };
    return code === 200 && data?.status === 'live';
  } catch {
    return false;
  }
}
