import { getSystemErrorMap } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { Database } from '../database.ts';
import { statement } from '../statement.ts';
import { type Failure, failureOf, refusalOfFailure } from './failures.ts';

const coded = (code: string) => Object.assign(new Error('It failed.'), { code });

/** What libuv says of files and of programming errors: no trouble with a connection. */
const notOfConnections = new Set(
  `E2BIG EBADF EBUSY ECHARSET EDESTADDRREQ EEXIST EFAULT EFBIG EFTYPE EILSEQ EINVAL EISCONN EISDIR EMLINK EMSGSIZE
   ENAMETOOLONG ENODATA ENOEXEC ENOPROTOOPT ENOSPC ENOSYS ENOTEMPTY ENOTSOCK ENOTSUP ENOTTY EOVERFLOW EPROTOTYPE ERANGE
   EROFS
   ESOCKTNOSUPPORT ESPIPE ESRCH ETXTBSY EUNATCH EXDEV UNKNOWN`.split(/\s+/),
);

describe('trouble with the connection is the database being away', () => {
  const systemCodes = [...getSystemErrorMap().values()].map(([code]) => code);

  test.each(systemCodes)('%s', (code) => {
    expect(failureOf(coded(code))).toBe(notOfConnections.has(code) ? 'other' : 'away');
  });

  test.each([
    'ENOTFOUND',
    'ENETRESET',
    'ERR_SOCKET_CLOSED',
    'ERR_SOCKET_CONNECTION_TIMEOUT',
    'ERR_STREAM_DESTROYED',
    'ERR_STREAM_WRITE_AFTER_END',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'CRL_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'HOSTNAME_MISMATCH',
    'INVALID_CA',
  ])('%s', (code) => expect(failureOf(coded(code))).toBe('away'));

  test.each([
    'Connection terminated',
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'timeout expired',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
    'Cannot use a pool after calling end on the pool',
    'There was an error establishing an SSL connection',
  ])('the driver says: %s', (message) => expect(failureOf(new Error(message))).toBe('away'));
});

/** Appendix A: the classes that hold anything but defects code by code, of the others one code each. */
const states: Record<Failure, string> = {
  away: `08000 08001 08003 08004 08006 08007 08P01 25006 25P03 28000 28P01 3D000 40003 57000 57P01 57P02 57P03 57P04
          57P05
         F0000 F0001`,
  transient: '26000 40000 40001 40P01 42P05 72000',
  busy: '25P04 53000 53200 53300 53400 55P03 57014 58000 58030 58P01 58P02 58P03',
  full: '53100',
  data: '22000 22003 22021 22P02 22P05 23000 23502 23503 23505 23514 23P01 40002',
  other: `03000 09000 0A000 0B000 0F000 0L000 0P000 0Z000 10608 20000 21000 24000 25000 25001 25P01 25P02 27000 2B000
          2D000 2F000 34000 38000 39000 3B000 3F000 42000 42501 42601 42703 42P01 44000 54000 54001 55000 55006 55P02
          55P04
          HV000 P0000 P0001 XX000 XX001 XX002`,
};

describe('what PostgreSQL says', () => {
  const each = Object.entries(states).flatMap(([failure, codes]) => codes.split(/\s+/).map((code) => [code, failure]));

  test.each(each)('%s is %s', (code, failure) => {
    expect(failureOf(coded(code as string))).toBe(failure);
    const refusal = refusalOfFailure(coded(code as string));
    if (failure === 'data' || failure === 'other') expect(refusal).toBeUndefined();
    else expect(refusal).toMatchObject({ kind: 'unavailable', retryAfterSeconds: failure === 'full' ? 10 : 1 });
  });
});

test.each([undefined, null, 'text', 17, {}, new Error('a connection of thoughts'), coded('ERR_ASSERTION')])(
  '%o is a defect',
  (thrown) => expect(failureOf(thrown)).toBe('other'),
);

describe('for real', () => {
  let db: TestDatabase;

  beforeAll(async () => {
    db = await databaseFromTemplate();
  });

  afterAll(() => db.drop());

  const one = statement('test.one', 'select 1');
  const sleep = statement('test.sleep', 'select pg_sleep(30)');
  const away = { type: 'database_unavailable', retryAfterSeconds: 1 };

  const refusedBy = async (connection: object, statementTimeoutMs = 10_000) => {
    const database = new Database({ connection, connections: 1, name: 'test', statementTimeoutMs });
    try {
      return await database.run(one).then(
        () => 'answered',
        (error) => error,
      );
    } finally {
      await database.close();
    }
  };

  test.each([
    ['a name that does not resolve', { host: 'nowhere.invalid' }],
    ['a port nobody listens on', { host: '127.0.0.1', port: 1 }],
    ['a socket that is not there', { host: '/nowhere' }],
    ['a database that is not there', { database: 'nowhere' }],
    ['an account that is not there', { user: 'nobody_we_know' }],
  ])('%s is the database being away', async (_what, changed) => {
    expect(await refusedBy({ ...db.connection, ...changed })).toMatchObject(away);
  });

  test('so is a transaction that PostgreSQL ended for being idle, and the connection is not used again', async () => {
    const database = new Database({ connection: db.connection, connections: 1, name: 'test idle' });
    const work = database.transaction(async (transaction) => {
      await transaction.run(statement('', `set local idle_in_transaction_session_timeout = '1ms'`));
      await eventually('it was ended', async () => {
        const left = await db.query(`select from pg_stat_activity where application_name = 'florin test idle'`);
        return left.length === 0;
      });
      await transaction.run(one);
    });
    await expect(work).rejects.toMatchObject(away);
    expect(await database.run(one)).toHaveLength(1);
    await database.close();
  });

  test('a standby is the database being away, and its connection is not used again', async () => {
    const database = new Database({ connection: db.connection, connections: 1, name: 'test' });
    const pid = statement<{ pid: number }>('test.pid', 'select pg_backend_pid() as pid');
    const [before] = await database.run(pid);
    const work = database.transaction(async (transaction) => {
      await transaction.run(statement('', 'set transaction read only'));
      await transaction.run(statement('', `insert into tenant (name) values ('x')`));
    });
    await expect(work).rejects.toMatchObject(away);
    expect(await database.run(pid)).not.toEqual([before]);
    await database.close();
  });

  test('a transaction that is cut off is told so at once, not when its rollback times out', async () => {
    const database = new Database({ connection: db.connection, connections: 1, name: 'test cut' });
    const ended = database.transaction((transaction) => transaction.run(sleep)).catch((error) => error);
    await eventually('it runs', async () => {
      const rows = await db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'florin test cut' and state = 'active'`,
      );
      return rows.length > 0;
    });
    expect(await ended).toMatchObject(away);
    await database.close();
  });

  test('what the work of a transaction throws by itself is not blamed on the database', async () => {
    const work = db.database.transaction(async () => {
      throw coded('ENOENT');
    });
    await expect(work).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
