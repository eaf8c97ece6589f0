import { describeHosts, reasonOf, SessionClient } from '../../../platform/postgres/connection/connection.ts';
import { type ConnectionConfig, nothingLearned } from '../../../platform/postgres/connection/connection-url.ts';
import { sessionSettings } from '../../../platform/postgres/connection/session-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { configuredDatabase, replicaOf } from '../../open-database.ts';
import { listStandbys } from '../../system/database-statements.ts';
import { standbysExpected } from '../../system/standbys-expected.ts';
import type { DatabaseCheck, Finding, MachineCheck } from '../check.ts';
import { countWalSenders, type Identity, readArchiver, readIdentity, readReplication } from '../statements.ts';

const withinMs = 5_000;
const gigabyte = 1024 ** 3;
const minuteMs = 60_000;

/** Those of `app.database.url`, and of `app.database.direct-url` if it is set; none for the embedded PostgreSQL. */
function connectionsOf(settings: Settings): [setting: string, connection: ConnectionConfig][] {
  if (settings['app.database.url'] === undefined) return [];
  const { connection, direct } = configuredDatabase(settings);
  const url: [string, ConnectionConfig] = ['app.database.url', connection];
  return direct === connection ? [url] : [url, ['app.database.direct-url', direct]];
}

export const primaryOfSeveral: MachineCheck = {
  name: 'of several servers of the database only the primary is used',
  check: async ({ settings }) => {
    const any = connectionsOf(settings).find(
      ([, { hosts = [], targetSessionAttrs = 'any' }]) => hosts.length > 1 && targetSessionAttrs === 'any',
    );
    if (any === undefined) return undefined;
    return {
      what: `${any[0]} names several servers, and takes the first that answers, also if it is a standby`,
      cure: `add target_session_attrs=read-write to ${any[0]}`,
    };
  },
};

export const everyServer: MachineCheck = {
  name: 'every server of the database answers, and one is the primary',
  check: async ({ settings }) => {
    const [, connection] = connectionsOf(settings)[0] ?? [];
    const hosts = connection?.hosts ?? [];
    if (connection === undefined || hosts.length < 2) return undefined;
    const servers = await Promise.all(
      hosts.map(async (host) => {
        const at = { ...connection, hosts: [host], targetSessionAttrs: 'any', learned: nothingLearned() } as const;
        return { place: describeHosts(at), found: await identityAt(at) };
      }),
    );
    const silent = servers.filter(({ found }) => typeof found === 'string');
    if (silent.length > 0) {
      const named = silent.map(({ place, found }) => `${place} cannot be used (${found})`);
      return {
        what: `${named.join(', ')}: fewer can take over`,
        cure: 'start it, or check the network in between; if it is gone for good, make it again from the primary',
      };
    }
    const primaries = servers.filter(({ found }) => typeof found === 'object' && !found.in_recovery);
    if (primaries.length < 2) return undefined;
    return {
      what: `${primaries.map(({ place }) => place).join(' and ')} both accept writes: they are no copies of each other`,
      cure: 'stop the one that is not the primary at once, and make it again as a standby (patronictl reinit)',
    };
  },
};

export const sameDatabase: DatabaseCheck = {
  name: 'app.database.direct-url leads to the same database as app.database.url',
  checkDatabase: async ({ database, direct, settings }) => {
    if (settings['app.database.direct-url'] === undefined) return undefined;
    const [own] = await database.run(readIdentity);
    const other = await identityAt(direct);
    if (typeof other === 'string') {
      return { what: `app.database.direct-url cannot be used: ${other}`, cure: 'check its server, port and password' };
    }
    if (own !== undefined && own.system === other.system && own.name === other.name) return undefined;
    return {
      what: 'app.database.direct-url leads to another database than app.database.url',
      cure: 'name the server and database in it to which the pooler leads',
    };
  },
};

export const replica: DatabaseCheck = {
  name: 'the replica for reads is a standby of the database',
  checkDatabase: async ({ database, settings }) => {
    const connection = replicaOf(settings);
    if (connection === undefined) return undefined;
    const [own] = await database.run(readIdentity);
    const found = await identityAt(connection);
    const setting = 'app.database.replica-url';
    if (typeof found === 'string') {
      return {
        what: `${setting} cannot be used (${found}): the primary answers everything`,
        cure: 'start the standby, or check the network in between and the password',
      };
    }
    if (!found.in_recovery) {
      const isSame = own?.system === found.system;
      return {
        what: `${setting} leads to ${isSame ? 'the primary' : 'another server'}, no standby: it answers nothing`,
        cure: `let ${setting} lead to a standby, or remove it`,
      };
    }
    if (own?.system === found.system) return undefined;
    return {
      what: `${setting} leads to a standby of another database`,
      cure: `let ${setting} lead to a standby of the server in app.database.url`,
    };
  },
};

export const synchronousStandbys: DatabaseCheck = {
  name: 'commits wait for the standbys that are to take over without loss',
  checkDatabase: async ({ database, settings }) => {
    const [server] = await database.run(readReplication);
    if (server === undefined) return undefined;
    const { names, commit, may_read_standbys: mayRead } = server;
    const given = settings['app.database.expected-standbys'];
    const expected = given ?? standbysExpected(names);
    if (!mayRead) {
      const [senders] = await database.run(countWalSenders);
      if (expected === 0 && senders?.count === 0) return undefined;
      return { skipped: 'the account of Florin may not see standbys; as superuser, grant pg_monitor to it' };
    }
    if (expected > 0 && commit === 'local') {
      return {
        what: 'synchronous_commit is local: no commit waits for the synchronous standbys',
        cure: 'set synchronous_commit to on, for the server, the database and the account',
      };
    }
    const streaming = (await database.run(listStandbys)).filter(({ state }) => state === 'streaming');
    const waitedFor = streaming.filter(({ sync }) => sync === 'sync' || sync === 'quorum').length;
    if (waitedFor < expected) return missingStandby(expected, waitedFor, names);
    const onlyForReads = settings['app.database.replica-url'] === undefined ? 0 : 1;
    if (given !== undefined || expected > 0 || streaming.length <= onlyForReads) return undefined;
    return {
      what:
        `${streaming.map(({ name }) => name).join(', ')} follow the primary, and no commit waits for them: ` +
        'if one takes over, the last acknowledged payments are lost',
      cure:
        'set synchronous_standby_names (in Patroni synchronous_mode: true), or app.database.expected-standbys to 0 ' +
        'if they never take over',
    };
  },
};

function missingStandby(expected: number, found: number, names: string): Finding {
  return {
    what:
      `${expected} synchronous standbys are expected, and ${found} follow the primary` +
      (names === '' ? '; synchronous_standby_names is empty' : ': commits wait until there are enough'),
    cure: 'start the standbys, and check their logs and the network in between (patronictl list)',
  };
}

export const standbysKeepUp: DatabaseCheck = {
  name: 'standbys keep up with the primary',
  checkDatabase: async ({ database }) => {
    const standbys = await database.run(listStandbys);
    const late = standbys.find(
      ({ state, lag_bytes, lag_ms }) => state === 'catchup' || (lag_bytes ?? 0) > gigabyte || (lag_ms ?? 0) > minuteMs,
    );
    if (late === undefined) return undefined;
    return {
      what: `standby ${late.name} is ${Math.floor((late.lag_bytes ?? 0) / 1024 ** 2)} MB behind (${late.state})`,
      cure: 'look at its disk, its processor and the network in between, and at whether its replay is paused',
    };
  },
};

export const archive: DatabaseCheck = {
  name: 'the write-ahead log is archived, if the server is to archive it',
  checkDatabase: async ({ database }) => {
    const [archiver] = await database.run(readArchiver);
    if (archiver === undefined || archiver.mode === 'off' || !archiver.is_failing) return undefined;
    return {
      what:
        `archiving ${archiver.failed_wal} has failed ${archiver.failed_count} times: the server keeps all later log ` +
        'until its disk is full, and a restore to a point in time ends before it',
      cure: "cure what PostgreSQL's log says of archive_command; then select pg_switch_wal() and examine again",
    };
  },
};

/** Who answers there, or why nobody does. */
async function identityAt(connection: ConnectionConfig): Promise<Identity | string> {
  const client = new SessionClient({
    ...connection,
    ...sessionSettings('doctor', withinMs),
    connectionTimeoutMillis: withinMs,
  });
  try {
    await client.connect();
    const { rows } = await client.query<Identity>(readIdentity.text);
    return rows[0] as Identity;
  } catch (error) {
    return reasonOf(error);
  } finally {
    // A broken connection has been reported above.
    await client.end().catch(() => {});
  }
}
