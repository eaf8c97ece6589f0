import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/**
 * The folder with the documents that providers publish. It is beside the repository, because not all of them may be
 * copied into it, or where `TEST_PROVIDER_DOCUMENTS` says. Undefined if it does not exist.
 */
export const documentsFolder: string | undefined = [
  process.env.TEST_PROVIDER_DOCUMENTS ?? fileURLToPath(new URL('../../../../../shared/providers', import.meta.url)),
].find((folder) => existsSync(folder));

/** Reads a document of the folder. YAML is parsed once for all processes of a run, because that takes 1.5 s. */
export function readDocument<Document>(name: string): Document {
  const file = join(documentsFolder as string, name);
  return name.endsWith('.yaml') ? parsedOnce(file, name) : JSON.parse(readFileSync(file, 'utf8'));
}

function parsedOnce<Document>(file: string, name: string): Document {
  const { size, mtimeMs } = statSync(file);
  const folder = join(tmpdir(), 'florin-provider-documents');
  const kept = join(folder, `${name}-${size}-${Math.floor(mtimeMs)}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'));
  const document: Document = parse(readFileSync(file, 'utf8'), { maxAliasCount: -1 });
  mkdirSync(folder, { recursive: true });
  // Renamed, so that another process never reads half of it.
  const half = `${kept}-${process.pid}`;
  writeFileSync(half, JSON.stringify(document));
  renameSync(half, kept);
  return document;
}
