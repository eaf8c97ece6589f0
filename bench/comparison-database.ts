import { migrate } from '@florin/server/platform/postgres/migrate.ts';
import type { Service } from './service.ts';

const name = 'comparison';

/** Creates a second, empty database in the service's PostgreSQL, with the service's tables and indexes. */
export async function createComparisonDatabase(service: Service): Promise<ReturnType<Service['connection']>> {
  await service.query(`drop database if exists ${name} with (force)`);
  await service.query(`create database ${name}`);
  const connection = service.connection(name);
  await migrate(connection, () => {});
  return connection;
}
