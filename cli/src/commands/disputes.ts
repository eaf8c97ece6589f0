import { readFile } from 'node:fs/promises';
import type { AddCommands, Cli } from '../cli.ts';

/** What a generic command cannot do: send a file. The others of disputes come from the API (`resources.ts`). */
export const addDisputeCommands: AddCommands = (program, run) => {
  program
    .command('disputes')
    .description('disputes')
    .command('file')
    .description('add a file to the evidence of a dispute')
    .argument('<dispute>')
    .argument('<field>', 'of its evidenceFields')
    .argument('<path>', 'a PDF, PNG, JPEG or TIFF')
    .option('--idempotency-key <key>', 'the same key never adds it twice')
    .action(run(addFile));
};

async function addFile(
  { florin, out, signal }: Cli,
  id: string,
  name: string,
  path: string,
  { idempotencyKey }: { idempotencyKey?: string },
): Promise<void> {
  const body = new Uint8Array(await readFile(path));
  out.record(await florin.disputes.file({ id, name, body }, { idempotencyKey, signal }));
}
