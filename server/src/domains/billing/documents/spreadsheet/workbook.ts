import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { TaskOutcome } from '../../../../platform/process/process-pool.ts';
import type { Cell } from './cell.ts';
import type { WorkbookTask } from './write-workbook.ts';

export interface WorkbookRequest {
  title: string;
  header: string[];
  /** In batches. */
  rows: AsyncIterable<readonly Cell[][]>;
  /** Tenants take turns. */
  tenantId: number;
}

const pollMs = 50;
const chunkBytes = 64 * 1024;

/**
 * A workbook as a stream. Its rows are read into a temporary file first, so that a process is needed only while it
 * computes, and neither a slow database nor a slow client holds one. The stream begins with the first bytes that the
 * process has written; a failure until then is thrown.
 */
export async function workbookStream(
  { title, header, rows }: WorkbookRequest,
  perform: (task: WorkbookTask) => Promise<TaskOutcome<unknown>>,
  requireDone: (outcome: TaskOutcome<unknown>) => void,
): Promise<Readable> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-workbook-'));
  const [rowsFile, target] = [join(folder, 'rows'), join(folder, 'workbook')];
  let file: FileHandle | undefined;
  const remove = async () => {
    await file?.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await writeRows(rowsFile, rows);
    file = await open(target, 'w+', 0o600);
    const chunks = growing(file, perform({ rowsFile, target, title, header }), requireDone);
    const first = await chunks.next();
    const stream = Readable.from(chunksFrom(first, chunks), { objectMode: false });
    stream.once('close', () => {
      // Two temporary files are left if this fails; the download was complete.
      remove().catch(() => {});
    });
    return stream;
  } catch (error) {
    await remove();
    throw error;
  }
}

async function writeRows(path: string, batches: AsyncIterable<readonly Cell[][]>): Promise<void> {
  const output = createWriteStream(path, { mode: 0o600 });
  for await (const rows of batches) {
    if (!output.write(rows.map((cells) => `${JSON.stringify(cells)}\n`).join(''))) await once(output, 'drain');
  }
  output.end();
  await once(output, 'close');
}

/** What is written into a file until the task has ended. Throws, by `requireDone`, if it failed. */
async function* growing(
  file: FileHandle,
  running: Promise<TaskOutcome<unknown>>,
  requireDone: (outcome: TaskOutcome<unknown>) => void,
): AsyncGenerator<Buffer> {
  let outcome: TaskOutcome<unknown> | undefined;
  const ended = running.then((result) => {
    outcome = result;
  });
  for (;;) {
    const before = outcome;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes);
    if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    else if (before !== undefined) return requireDone(before);
    else await Promise.race([ended, pause(pollMs)]);
  }
}

async function* chunksFrom(first: IteratorResult<Buffer, void>, others: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.done === true) return;
  yield first.value;
  yield* others;
}
