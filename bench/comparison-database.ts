import { migrate } from '../server/src/platform/postgres/migrate.ts';
import type { Service } from './service.ts';

const name = 'comparison';

/** A second database in the service's PostgreSQL, with the service's own tables and indexes, empty. */
export async function comparisonDatabase(service: Service): Promise<ReturnType<Service['connection']>> {
  await service.query(`drop database if exists ${name} with (force)`);
  await service.query(`create database ${name}`);
  const connection = service.connection(name);
  await migrate(connection, () => {});
  return connection;
}
