import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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

/** Reads a document of the folder. */
export function readDocument<Document>(name: string): Document {
  const text = readFileSync(join(documentsFolder as string, name), 'utf8');
  return name.endsWith('.yaml') ? parsedOnce(text) : JSON.parse(text);
}

const parsedDocuments = fileURLToPath(new URL('../../../../node_modules/.cache/provider-documents', import.meta.url));

/** Parses YAML once for all later runs, because that takes 1.7 s of CPU time: what it says is kept by its hash. */
function parsedOnce<Document>(text: string): Document {
  const kept = join(parsedDocuments, `${hash('sha256', text)}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'));
  const document: Document = parse(text, { maxAliasCount: -1 });
  mkdirSync(parsedDocuments, { recursive: true });
  // Renamed, so that another process never reads half of it.
  const half = `${kept}-${process.pid}`;
  writeFileSync(half, JSON.stringify(document));
  renameSync(half, kept);
  return document;
}
