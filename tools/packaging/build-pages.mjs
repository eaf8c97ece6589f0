// Builds the console, the package of the client library and the documentation. `npm start` runs this beside the
// service, with `--beside`: at the lowest priority. Plain JavaScript for Node 20, like install.mjs.
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { builtConsole } from './build-console.mjs';
import { builtDocs } from './build-docs.mjs';
import { builtSdk } from './build-sdk.mjs';
import { root } from './built-folder.mjs';
import { whileLocked } from './lock.mjs';

const lowest = 19;

if (process.argv.includes('--beside')) setPriority(lowest);
whileLocked(join(root, 'build', '.building'), () => {
  const all = [builtConsole, builtSdk, builtDocs];
  for (const built of all) built.announce();
  for (const built of all) if (!built.build()) process.exitCode = 1;
});
