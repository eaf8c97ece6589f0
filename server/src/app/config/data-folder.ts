import { holdsCluster } from '@florin/embedded-postgres';
import { type Settings, SettingsError } from './settings.ts';

/**
 * For commands that work on an existing database: refuses a data folder without one before its keys are read.
 *
 * @throws SettingsError when the database is the embedded one and the data folder has none
 */
export function requireDataFolder(settings: Settings): void {
  const dataDir = settings['app.data-dir'];
  if (settings['app.database.url'] !== undefined || holdsCluster(dataDir)) return;
  throw new SettingsError(`there is no database in ${dataDir}; set app.data-dir.`);
}
