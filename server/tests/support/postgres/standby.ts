import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideBinaries } from '../../../src/platform/postgres/embedded/binaries.ts';
import { openDataFolder } from '../../../src/platform/postgres/embedded/data-folder.ts';
import { launch } from '../../../src/platform/postgres/embedded/postmaster.ts';
import { signal } from '../../../src/platform/postgres/embedded/process-table.ts';
import { postmasterArguments } from '../../../src/platform/postgres/embedded/settings.ts';

/** Starts the stopped cluster of a data folder as a hot standby, which has no primary to follow. */
export async function startAsStandby(root: string): Promise<{ stop: () => Promise<void> }> {
  const folder = openDataFolder(root);
  writeFileSync(join(folder.cluster, 'standby.signal'), '');
  const binaries = provideBinaries(root, folder.account);
  const words = postmasterArguments(folder, binaries.version, {});
  const { pid, ended } = await launch(folder, { program: binaries.postgres, words });
  return {
    stop: async () => {
      signal(pid, 'SIGINT');
      await ended;
    },
  };
}
