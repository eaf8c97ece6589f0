import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How many bytes `work` leaves in the old generation, reachable or not. `collect` does a full collection, which moves
 * reachable objects there. Garbage that objects of the old generation refer to is moved as well, and only another full
 * collection frees it. Everything else that the process does until `work` ends is counted too: asynchronous work needs
 * a process of its own.
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
