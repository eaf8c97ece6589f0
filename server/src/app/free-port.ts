import { once } from 'node:events';
import { createServer } from 'node:net';
import { holderOfFolder } from '../platform/postgres/embedded/folder-lock.ts';
import { listenRefusal } from './listen.ts';
import { hostOf } from './public-url.ts';
import { type Settings, SettingsError } from './settings.ts';

/** Who has the port is asked for one line, so it is not waited for long. */
const askWithinMs = 1_000;

/**
 * Refuses an address that cannot be listened on before anything is made: a database takes seconds, and a first one would
 * stay behind. Whoever takes the port between this and the real listening is refused then.
 *
 * @throws SettingsError saying who has the port, as far as that can be told
 */
export async function requireFreePort(settings: Settings): Promise<void> {
  const { 'app.server.host': host, 'app.server.port': port } = settings;
  const probe = createServer();
  try {
    probe.listen({ host, port });
    await once(probe, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw await takenBy(settings);
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
  if (!(await isFlorin(`http://${hostOf(settings)}:${port}`))) {
    return new SettingsError(`${taken} by another program; stop it, or ${another}.`);
  }
  const holder = holderOfFolder(dataDir);
  if (holder === undefined) return new SettingsError(`${taken} by another Florin; stop it, or ${another}.`);
  return new SettingsError(
    `${taken} by another Florin, and data folder ${dataDir} is in use by Florin process ${holder}; stop that process first, or set both PORT and APP_DATA_DIR to others.`,
  );
}

async function isFlorin(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/health/live`, { signal: AbortSignal.timeout(askWithinMs) });
    const { code, data } = (await response.json()) as { code?: number; data?: { status?: string } };
    return code === 200 && data?.status === 'live';
  } catch {
    return false;
  }
}
