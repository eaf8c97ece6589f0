import { assemble, type Context } from '../../app/assemble.ts';
import { readSettings } from '../../app/config/settings.ts';
import { workersOf } from '../../app/workers.ts';
import { systemClock } from '../../core/clock.ts';
import { freshKeyring, parseKeyring } from '../../platform/crypto/keyring.ts';
import { allStatements, type Statement } from '../../platform/postgres/statement.ts';
import { Lifecycle } from '../../platform/process/lifecycle.ts';
import { openLog } from '../../platform/process/log.ts';

/** A node with all modules and no database: connections are opened at their first use. */
export function unconnectedNode(): Context {
  const keyring = parseKeyring(freshKeyring());
  const nowhere = { host: '127.0.0.1', port: 1 };
  return assemble(
    { connection: nowhere, direct: nowhere, isOursAlone: true },
    { jwtKeys: keyring, encryptionKeys: keyring },
    {
      settings: readSettings({}, undefined),
      log: openLog('silent'),
      clock: systemClock,
      lifecycle: new Lifecycle(() => {}),
    },
  );
}

/** Some statements are made with the services and workers that use them. */
export function statementsOfAllModules(): readonly Statement<never>[] {
  workersOf(unconnectedNode());
  return allStatements.filter(({ name }) => name !== '' && !name.startsWith('test.'));
}
