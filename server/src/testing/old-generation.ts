import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How many bytes `work` leaves in the old generation, dead or alive. `collect` does a full collection: what is alive at that
 * moment moves there. Garbage that objects of the old generation refer to follows it, and then costs a full collection too.
 * What else the process does while it waits for `work` is counted as well: work that is not synchronous needs a process of its own.
 */
export async function survivingBytes(work: (collect: () => void) => unknown): Promise<number> {
  v8.setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  let before = oldGenerationBytes();
  let surviving = 0;
  await work(() => {
    surviving += oldGenerationBytes() - before;
    collect();
    before = oldGenerationBytes();
  });
  return surviving + oldGenerationBytes() - before;
}

function oldGenerationBytes(): number {
  const spaces = v8.getHeapSpaceStatistics().filter(({ space_name }) => space_name === 'old_space');
  return spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}
