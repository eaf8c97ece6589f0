import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import type { Machine } from './machine.ts';

/** As in deploy/ha: how long a machine that vanished keeps the lease. */
const ttlMs = 20_000;
const processMs = 15_000;
const machineMs = ttlMs + 5_000;

export interface Fault {
  name: string;
  what: string;
  /** The longest time without an acknowledged payment; undefined where there is no goal. */
  goalMs: number | undefined;
  /** The longest time in which payments were neither acknowledged nor refused with 503. */
  answerGoalMs?: number;
  /** Does it, and returns what puts everything right again, which is done when payments are acknowledged again. */
  inject: (cluster: Cluster, round: number) => Promise<(() => Promise<void>) | undefined>;
}

export const faults: readonly Fault[] = [
  {
    name: 'none',
    what: 'nothing happens',
    goalMs: processMs,
    inject: async () => undefined,
  },
  {
    name: 'crash',
    what: "all processes of the primary's machine vanish; it is switched on again",
    goalMs: machineMs,
    inject: async (cluster) => {
      const machine = cluster.requirePrimary();
      await cluster.lose(machine);
      return async () => {
        await machine.boot();
        machine.startAll();
      };
    },
  },
  {
    name: 'kill-postgres',
    what: 'kill -9 of all processes of PostgreSQL at the primary',
    goalMs: processMs,
    inject: async (cluster) => {
      for (const pid of cluster.requirePrimary().processesLike(/^postgres:|bin\/postgres /)) kill(pid);
      return undefined;
    },
  },
  {
    name: 'kill-patroni',
    what: 'kill -9 of Patroni at the primary; PostgreSQL goes on',
    goalMs: processMs,
    inject: async (cluster) => {
      kill(cluster.requirePrimary().pidOf('patroni'));
      return undefined;
    },
  },
  {
    name: 'kill-haproxy',
    what: 'kill -9 of HAProxy on the machine that has the address',
    goalMs: processMs,
    inject: async (cluster) => {
      for (const pid of cluster.holders()[0]?.processesLike(/haproxy/) ?? []) kill(pid);
      return undefined;
    },
  },
  {
    name: 'freeze',
    what: "all processes of the primary's machine are stopped (SIGSTOP) until another one has taken over",
    goalMs: machineMs,
    inject: async (cluster) => {
      const machine = cluster.requirePrimary();
      machine.freeze();
      return async () => machine.thaw();
    },
  },
  {
    name: 'freeze-postgres',
    what: 'PostgreSQL alone is stopped (SIGSTOP) at the primary for 30 s',
    goalMs: undefined,
    inject: async (cluster) => {
      const pids = cluster.requirePrimary().processesLike(/^postgres:|bin\/postgres /);
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await pause(30_000);
      for (const pid of pids) kill(pid, 'SIGCONT');
      return undefined;
    },
  },
  {
    name: 'link-down',
    what: "the network interface of the primary's machine is down until another one has taken over",
    goalMs: machineMs,
    inject: async (cluster) => {
      const machine = cluster.requirePrimary();
      cluster.network.run(['ip', 'link', 'set', machine.name, 'down']);
      return async () => {
        cluster.network.run(['ip', 'link', 'set', machine.name, 'up']);
      };
    },
  },
  {
    name: 'cut',
    what: "nftables drops everything to and from the primary's machine until another one has taken over",
    goalMs: machineMs,
    inject: async (cluster) => {
      const machine = cluster.requirePrimary();
      machine.run(['nft', '-f', '-'], { input: dropEverything });
      return async () => {
        // At once: else the machine may take the address back while its announcement is still dropped.
        machine.run(['nft', '-f', '-'], { input: 'delete table inet cut\ndelete table arp cut\n' });
      };
    },
  },
  {
    name: 'delay',
    what: 'everything to and from PostgreSQL at the primary comes 100 ms later, for 30 s',
    goalMs: processMs,
    inject: async (cluster) => {
      const machine = cluster.requirePrimary();
      machine.write('root/delay.mjs', readFileSync(new URL('delay.mjs', import.meta.url), 'utf8'));
      const proxy = machine.spawn([
        '/opt/florin/node_modules/.bin/node',
        '/root/delay.mjs',
        '15432',
        '5432',
        machine.address,
        '100',
      ]);
      machine.run(['nft', '-f', '-'], { input: throughProxy });
      endConnections(machine);
      await pause(30_000);
      machine.run(['nft', 'delete', 'table', 'ip', 'delay']);
      // Kills the program in the machine, too.
      for (const pid of machine.processesLike(/delay\.mjs/)) kill(pid);
      proxy.kill();
      return undefined;
    },
  },
  {
    name: 'standby-crash',
    what: 'all processes of the machine of the synchronous standby vanish; it is switched on again',
    goalMs: processMs,
    inject: async (cluster) => {
      const standby = cluster.members()?.find(({ role }) => role === 'sync_standby');
      const machine = cluster.machines.find(({ name }) => name === standby?.name) as Machine;
      await cluster.lose(machine);
      return async () => {
        await machine.boot();
        machine.startAll();
      };
    },
  },
  {
    name: 'switchover',
    what: 'patronictl switchover',
    goalMs: processMs,
    inject: async (cluster) => {
      await switchover(cluster);
      return undefined;
    },
  },
  {
    name: 'rolling-restart',
    what: 'Florin and HAProxy, and then each machine without the primary, are restarted one after another',
    goalMs: processMs,
    inject: async (cluster) => {
      for (const machine of cluster.machines) {
        await machine.stop('florin');
        machine.start('florin');
        await cluster.untilHealthy();
      }
      // As before an update of the system: the primary moves away first.
      for (const machine of cluster.machines) {
        if (cluster.requirePrimary() === machine) await switchover(cluster);
        await cluster.untilHealthy();
        for (const service of ['keepalived', 'haproxy', 'florin', 'patroni', 'etcd'] as const)
          await machine.stop(service);
        machine.startAll();
        await cluster.untilHealthy();
      }
      return undefined;
    },
  },
  {
    name: 'upgrade',
    what: 'the same Florin with one more migration is installed and started on one machine after another',
    goalMs: processMs,
    inject: async (cluster, round) => {
      const next = await cluster.packageWith(`9${String(round).padStart(3, '0')}_drill.sql`, migration(round));
      for (const machine of cluster.machines) {
        await machine.stop('florin');
        machine.installFlorin(next);
        machine.start('florin');
        await cluster.untilHealthy();
      }
      return undefined;
    },
  },
  {
    name: 'etcd-leader',
    what: "kill -9 of etcd's leader",
    goalMs: processMs,
    inject: async (cluster) => {
      kill(cluster.etcdLeader()?.pidOf('etcd'));
      return undefined;
    },
  },
  {
    name: 'full-disk',
    what: 'the disk of PostgreSQL at the primary is full for 40 s',
    goalMs: undefined,
    answerGoalMs: processMs,
    inject: async (cluster) => {
      const machine = cluster.requirePrimary();
      const ballast = join(machine.root, 'var/lib/postgresql/ballast');
      await fill(machine);
      await pause(40_000);
      rmSync(ballast);
      return undefined;
    },
  },
];

/** ARP too: otherwise a machine that is cut off would still claim the address of the service. */
const dropEverything = `table inet cut {
  chain incoming { type filter hook input priority 0; policy drop; iifname "lo" accept; }
  chain outgoing { type filter hook output priority 0; policy drop; oifname "lo" accept; }
}
table arp cut {
  chain incoming { type filter hook input priority 0; policy drop; }
  chain outgoing { type filter hook output priority 0; policy drop; }
}
`;

/** New connections of the other machines lead to the proxy that delays them. */
const throughProxy = `table ip delay {
  chain incoming { type nat hook prerouting priority -100; tcp dport 5432 redirect to :15432; }
}
`;

/** So that new ones are made, and standbys connect again. */
function endConnections(machine: Machine): void {
  const sql = `select pg_terminate_backend(pid) from pg_stat_activity where usename in ('florin', 'replicator')`;
  const asPostgres = ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--init-groups'];
  machine.run([...asPostgres, 'psql', '-Xq', '-h', '/run/postgresql', '-c', sql, 'postgres']);
}

const migration = (round: number) =>
  `alter table channel add column drill_${round} integer;\ncreate index on transaction_total (tenant_id);\n`;

async function switchover(cluster: Cluster): Promise<void> {
  const machine = cluster.requirePrimary();
  const standby = cluster.members()?.find(({ role }) => role === 'sync_standby')?.name as string;
  const words = ['switchover', '--leader', machine.name, '--candidate', standby, '--force', 'florin'];
  await machine.runInBackground(['/opt/patroni/bin/patronictl', '-c', '/etc/patroni/patroni.yml', ...words]);
}

async function fill(machine: Machine): Promise<void> {
  const words = ['if=/dev/zero', 'of=/var/lib/postgresql/ballast', 'bs=64K'];
  // dd ends with an error when nothing fits any more.
  await machine.runInBackground(['dd', ...words]).catch(() => {});
}

function kill(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (pid === undefined) throw new Error('There is no such process.');
  try {
    process.kill(pid, signal);
  } catch {
    // Its parent took it along.
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
