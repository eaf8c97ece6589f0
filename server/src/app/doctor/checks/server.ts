import { secondMs } from '../../../core/clock.ts';
import { Notifications } from '../../../platform/postgres/bus/notifications.ts';
import { connectionsOfNode } from '../../config/connections.ts';
import { oldestVersion } from '../../open-database.ts';
import type { DatabaseCheck } from '../check.ts';
import { readClock } from '../statements.ts';

export const version: DatabaseCheck = {
  name: 'PostgreSQL is new enough',
  checkDatabase: async ({ server }) => {
    const major = Math.floor(server.version / 10_000);
    if (major >= oldestVersion) return undefined;
    return { what: `PostgreSQL is version ${major}`, cure: `upgrade it to ${oldestVersion} or newer` };
  },
};

export const primary: DatabaseCheck = {
  name: 'the database accepts writes',
  checkDatabase: async ({ server }) => {
    if (server.in_recovery) {
      return {
        what: 'app.database.url leads to a standby',
        cure: 'name all servers in it and add ?target_session_attrs=read-write, or promote the standby',
      };
    }
    if (!server.read_only) return undefined;
    return {
      what: 'transactions are read-only by default',
      cure: 'remove default_transaction_read_only from the server, the database or the account (alter … reset)',
    };
  },
};

export const durability: DatabaseCheck = {
  name: 'what is acknowledged survives a power failure',
  checkDatabase: async ({ server }) => {
    const off = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).filter((name) => server[name] === 'off');
    if (off.length === 0) return undefined;
    return {
      what: `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: payments that were acknowledged can be lost`,
      cure: `turn ${off.length === 1 ? 'it' : 'them'} on, for the server, the database and the account`,
    };
  },
};

/** As for the clock of a node (`database-clock.ts`). */
const toleranceMs = secondMs;

export const clock: DatabaseCheck = {
  name: "this machine's clock agrees with the database's",
  checkDatabase: async ({ database, machine }) => {
    const askedMs = machine.now();
    const [row] = await database.run(readClock);
    const answeredMs = machine.now();
    const aheadMs = (askedMs + answeredMs) / 2 - (row?.now_ms ?? 0);
    if (Math.abs(aheadMs) <= toleranceMs + (answeredMs - askedMs) / 2) return undefined;
    return {
      what:
        `this machine's clock is ${Math.abs(aheadMs / secondMs).toFixed(1)} s ` +
        `${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`,
      cure: 'synchronise both machines by NTP (timedatectl set-ntp true); tokens and codes depend on the time',
    };
  },
};

export const connections: DatabaseCheck = {
  name: 'the database has enough connections',
  checkDatabase: async ({ server, settings }) => {
    const needed = connectionsOfNode(settings);
    const limits = [
      { name: 'max_connections, without reserved ones,', limit: server.max_connections },
      { name: 'the connection limit of the database', limit: server.database_limit },
      { name: 'the connection limit of the account', limit: server.role_limit },
    ].filter(({ limit }) => limit >= 0);
    const tight = limits.find(({ limit }) => limit < needed);
    if (tight !== undefined) {
      return {
        what: `${tight.name} is ${tight.limit}, and a node needs ${needed}`,
        cure: 'raise it to what all nodes need together, or lower app.database.connections',
      };
    }
    if (server.used_connections < server.max_connections * 0.9) return undefined;
    return {
      what: `${server.used_connections} of ${server.max_connections} connections of the server are in use`,
      cure: `raise max_connections (each node needs ${needed}), or find who uses them in pg_stat_activity`,
    };
  },
};

export const notifications: DatabaseCheck = {
  name: 'notifications between nodes arrive',
  checkDatabase: async ({ database, direct }) => {
    let lost: Error | undefined;
    // Measured twice, because the first answer may be late on a busy machine.
    for (let attempt = 0; attempt < 2; attempt++) {
      lost = undefined;
      const onLost = (error: Error) => {
        lost = error;
      };
      const listening = new Notifications({ connection: direct, publisher: database, onLost });
      await listening.start();
      await listening.stop();
      if (lost === undefined) return undefined;
    }
    return {
      what: `a notification sent on one connection does not arrive on another: ${lost?.message}`,
      cure: 'set app.database.direct-url to the address of PostgreSQL itself, or the pooler to session mode',
    };
  },
};
