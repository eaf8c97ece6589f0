/** A program that does nothing but hold Florin's PostgreSQL, so that tests can kill it. */
import { hold } from '@florin/embedded-postgres/fixture';
import { startFlorinPostgres } from '../../../src/platform/postgres/embedded/florin-postgres.ts';

await hold(startFlorinPostgres);
