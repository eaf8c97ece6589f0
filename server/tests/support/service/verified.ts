import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../../src/app/verify.ts', import.meta.url));

/**
 * Runs `npm run verify` beside the service on this data folder. `broken`: every line that reports neither progress nor
 * success.
 */
export async function verified(dataDir: string): Promise<{ code: number; broken: string[] }> {
  const { PATH = '', HOME = '/', NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [script], { env: { PATH, HOME, NODE_COMPILE_CACHE, APP_DATA_DIR: dataDir } });
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk) => {
      printed += chunk;
    });
  const code = await new Promise<number>((resolve) => child.on('close', resolve));
  return {
    code,
    broken: printed
      .split('\n')
      .filter((line) => line !== '' && !/^(ok|head|sealed)|^\d+ of \d+ claims checked$/.test(line)),
  };
}
