import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshKeyring } from '../../../src/platform/crypto/keyring.ts';
import { databaseFromTemplate, type TestDatabase } from '../postgres/database.ts';
import { administratorPassword, urlOf } from './florin.ts';

/** A folder in which a test starts the service as a program, and a database for the starts that open one. */
export class StartFolder {
  readonly path: string;
  readonly db: TestDatabase;

  private constructor(path: string, db: TestDatabase) {
    this.path = path;
    this.db = db;
  }

  static async open(): Promise<StartFolder> {
    return new StartFolder(await mkdtemp(join(tmpdir(), 'florin-start-')), await databaseFromTemplate());
  }

  async close(): Promise<void> {
    await this.db.drop();
    await rm(this.path, { recursive: true, force: true });
  }

  /** The environment of a start on the database. */
  onDatabase(environment: Record<string, string> = {}): Record<string, string> {
    return {
      PORT: '0',
      DATABASE_URL: urlOf(this.db.connection),
      APP_DEPLOYMENT_MODE: 'STANDALONE',
      APP_ADMIN_PASSWORD: administratorPassword,
      APP_DATA_DIR: join(this.path, 'data'),
      APP_LOG_LEVEL: 'silent',
      ...environment,
    };
  }

  /** A working folder with this `florin.yaml`. */
  async withYaml(text: string): Promise<string> {
    const cwd = await mkdtemp(join(this.path, 'cwd-'));
    await writeFile(join(cwd, 'florin.yaml'), text);
    return cwd;
  }
}

/** The keys that a cluster node must be given. */
export function clusterKeys(): Record<string, string> {
  return { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };
}
