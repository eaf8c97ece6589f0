import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenClaims } from '@florin/server/tests/broken-claims.ts';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect } from 'vitest';
import { pasted } from './pasted.ts';

export interface PageStory {
  /** The shell commands of the page, by block. */
  snippets: readonly string[];
  db: TestDatabase;
  florin: TestFlorin;
  /** Where the commands are pasted; it has the data folder. */
  folder: string;
  /** Pastes commands, which call the service of this test, and returns what they print. */
  paste: (script: string) => Promise<string>;
}

/**
 * A page of the docs whose shell commands a test pastes in order, with a service of its own. When the tests have ended,
 * no claim is broken. `environment` is read when the service starts.
 */
export function pageStory(guide: string, environment: () => Record<string, string> = () => ({})): PageStory {
  const page = readFileSync(fileURLToPath(new URL(`../../docs/guides/${guide}.md`, import.meta.url)), 'utf8');
  const snippets = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands);
  const story: PageStory = {
    snippets,
    db: undefined as unknown as TestDatabase,
    florin: undefined as unknown as TestFlorin,
    folder: '',
    paste: (script) => pasted(story.folder, script.replaceAll('http://127.0.0.1:8080', story.florin.address)),
  };

  beforeAll(async () => {
    story.folder = mkdtempSync(join(tmpdir(), `florin-${guide}-`));
    story.db = await databaseFromTemplate();
    // The first snippet reads the generated password from the data folder.
    const dataFolder = { APP_DATA_DIR: join(story.folder, 'data'), APP_ADMIN_PASSWORD: '' };
    story.florin = await florinOn(story.db, { ...dataFolder, ...environment() });
  });

  afterAll(async () => {
    expect(await brokenClaims(story.db.database)).toEqual([]);
    await story.florin.stop();
    await story.db.drop();
    rmSync(story.folder, { recursive: true, force: true });
  });

  return story;
}
