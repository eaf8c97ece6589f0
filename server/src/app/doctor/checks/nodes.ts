import { secondMs } from '../../../core/clock.ts';
import { type Keyring, parseKeyring } from '../../../platform/crypto/keyring.ts';
import type { Settings } from '../../config/settings.ts';
import { keyDigestOf } from '../../system/heartbeat.ts';
import { goneAfterSeconds, listNodes, type NodeRow } from '../../system/node-statements.ts';
import { isClockApart, isGone } from '../../system/read-health.ts';
import type { DatabaseCheck, DatabaseExamination } from '../check.ts';

const nameOf = ({ host, port }: NodeRow) => `${host}:${port}`;
const namesOf = (nodes: readonly NodeRow[]) => nodes.map(nameOf).join(', ');

async function nodesOf({ database }: DatabaseExamination) {
  const nodes = await database.run(listNodes);
  return { gone: nodes.filter(isGone), running: nodes.filter((node) => !isGone(node)) };
}

export const everyNode: DatabaseCheck = {
  name: 'no node has vanished',
  checkDatabase: async (at) => {
    const { gone } = await nodesOf(at);
    if (gone.length === 0) return undefined;
    return {
      what: `${namesOf(gone)} has not said for ${goneAfterSeconds} seconds that it runs, and did not stop in order`,
      cure: 'look at that machine and at the log of Florin there; the node is forgotten after a quarter of an hour',
    };
  },
};

export const nodeVersions: DatabaseCheck = {
  name: 'all nodes have the same version',
  checkDatabase: async (at) => {
    const { running } = await nodesOf(at);
    if (new Set(running.map(({ version }) => version)).size < 2) return undefined;
    return {
      what: `the nodes have different versions: ${running.map((node) => `${nameOf(node)} ${node.version}`).join(', ')}`,
      cure: 'finish the upgrade: install the same package on all machines and restart Florin there',
    };
  },
};

export const nodeKeys: DatabaseCheck = {
  name: 'all nodes have the same keys',
  checkDatabase: async (at) => {
    const { running } = await nodesOf(at);
    const cure =
      'give all nodes the same app.jwt.keys and app.encryption.keys, in the same order, and restart those that differ';
    const byDigest = Map.groupBy(running, ({ key_digest }) => key_digest);
    if (byDigest.size > 1) {
      const groups = [...byDigest.values()].map(namesOf);
      return { what: `${groups.join(' and ')} have different keys: tokens of one are refused by the other`, cure };
    }
    const own = keyringsOf(at.settings);
    const [digest] = byDigest.keys();
    if (digest === undefined || own === undefined || digest === keyDigestOf(...own)) return undefined;
    return { what: `the keys in these settings are not those of ${namesOf(running)}`, cure };
  },
};

/** Undefined unless both are in the settings, as in a cluster: generated ones are of this machine alone. */
function keyringsOf(settings: Settings): [Keyring, Keyring] | undefined {
  const { 'app.jwt.keys': jwt, 'app.encryption.keys': encryption } = settings;
  return jwt === undefined || encryption === undefined ? undefined : [parseKeyring(jwt), parseKeyring(encryption)];
}

export const nodeClocks: DatabaseCheck = {
  name: "the clocks of all nodes agree with the database's",
  checkDatabase: async (at) => {
    const { running } = await nodesOf(at);
    const apart = running.filter(isClockApart);
    if (apart.length === 0) return undefined;
    const clocks = apart.map((node) => {
      const aheadMs = node.clock_ahead_ms ?? 0;
      const seconds = Math.abs(aheadMs / secondMs).toFixed(1);
      return `that of ${nameOf(node)} is ${seconds} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
    });
    return {
      what: `clocks differ from the database's: ${clocks.join(', ')}`,
      cure: 'synchronise these machines and that of the database by NTP (timedatectl set-ntp true)',
    };
  },
};
