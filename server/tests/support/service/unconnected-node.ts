import { assemble, type Context } from '../../../src/app/assemble.ts';
import { readSettings } from '../../../src/app/config/settings.ts';
import { workersOf } from '../../../src/app/workers.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { freshKeyring, parseKeyring } from '../../../src/platform/crypto/keyring.ts';
import { allStatements, type Statement } from '../../../src/platform/postgres/statement.ts';
import { Lifecycle } from '../../../src/platform/process/lifecycle.ts';
import { openLog } from '../../../src/platform/process/log.ts';

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
