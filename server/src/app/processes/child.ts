import '../../platform/process/heap-settings.ts';
import { systemClock } from '../../core/clock.ts';
import { parseKeyring } from '../../platform/crypto/keyring.ts';
import { collectGarbageOfStart } from '../../platform/process/collect-garbage.ts';
import { Lifecycle } from '../../platform/process/lifecycle.ts';
import { openLog } from '../../platform/process/log.ts';
import { outliveOutput } from '../../platform/process/output.ts';
import { assemble } from '../assemble.ts';
import { loadEventKey } from '../event-key.ts';
import { prepareServer } from '../http/serve.ts';
import { configuredDatabase } from '../open-database.ts';
import { tracingOf } from '../tracing.ts';
import type { Assignment } from './messages.ts';
import { ParentLink } from './parent-link.ts';

outliveOutput();
const link = new ParentLink();
const { signal: stopping } = link.stopping;
// Ctrl-C and a closed terminal signal all of its processes; the first one then asks this one to stop.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('SIGTERM', () => link.stopping.abort());
const endAtOnce = () => process.exit(0);
stopping.addEventListener('abort', endAtOnce);
await serveRequests(await link.assigned);

/**
 * The program of the processes 2, 3, … of a node: serves requests until the first process asks it to stop, or is gone.
 * The database is open and migrated, and an administrator exists.
 */
async function serveRequests({ number, settings, connection, ...keys }: Assignment): Promise<void> {
  const log = openLog(settings['app.log.level']).child({ process: number });
  process.on('uncaughtException', (error) => {
    log.fatal({ error }, 'The process ends because of a defect; acknowledged payments are stored');
    process.exit(1);
  });
  const lifecycle = new Lifecycle((part, error) => log.error({ error, part }, 'A part failed to stop'));
  const opened =
    connection === undefined ? configuredDatabase(settings) : { connection, direct: connection, isOursAlone: true };
  const secrets = { jwtKeys: parseKeyring(keys.jwtKeys), encryptionKeys: parseKeyring(keys.encryptionKeys) };
  try {
    const tracing = await tracingOf(settings, log);
    if (tracing !== undefined) lifecycle.add('tracing', tracing.stop);
    const context = assemble(opened, secrets, { settings, log, clock: systemClock, lifecycle, group: link, tracing });
    await context.primary.start();
    await context.databaseClock?.read();
    await loadEventKey(context);
    await context.bus.start();
    const listen = await prepareServer(context);
    await link.mayListen();
    await listen();
  } catch (error) {
    // The first process starts another one, after a pause.
    log.error({ error }, 'The start failed');
    process.exit(1);
  }
  stopping.removeEventListener('abort', endAtOnce);
  stopping.addEventListener('abort', () => {
    lifecycle.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
  link.listens();
  collectGarbageOfStart();
}
