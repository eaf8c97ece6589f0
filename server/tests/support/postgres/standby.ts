import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, openDataFolder, postmasterArguments, provideBinaries, signal } from '@florin/embedded-postgres/parts';

import { florinNames } from '../../../src/platform/postgres/embedded/florin-postgres.ts';

/** Starts the stopped cluster of a data folder as a hot standby, which has no primary to follow. */
export async function startAsStandby(root: string): Promise<{ stop: () => Promise<void> }> {
  const folder = openDataFolder(root);
  writeFileSync(join(folder.cluster, 'standby.signal'), '');
  const binaries = provideBinaries(root, folder.account);
  const words = postmasterArguments(folder, binaries.version, {}, florinNames);
  const { pid, ended } = await launch(folder, { program: binaries.postgres, words });
  return {
    stop: async () => {
      signal(pid, 'SIGINT');
      await ended;
    },
  };
}
