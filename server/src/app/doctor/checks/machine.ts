import { access, constants, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { requireKeys } from '../../config/secrets.ts';
import { SettingsError } from '../../config/settings.ts';
import { answersAsFlorin, requireFreePort } from '../../http/free-port.ts';
import { type Finding, findingOf, type MachineCheck, type Skipped } from '../check.ts';

const megabyte = 1024 ** 2;
const gigabyte = 1024 ** 3;

/** undefined: there is nothing at this path. */
async function statOf(path: string) {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

const noFolder: Skipped = { skipped: 'there is no data folder yet' };

export const secretFiles: MachineCheck = {
  name: 'only their owner can read the keys and the first password',
  check: async ({ settings }) => {
    for (const name of ['encryption-keys', 'jwt-keys', 'admin-password', 'admin-invitation']) {
      const path = resolve(settings['app.data-dir'], name);
      const found = await statOf(path);
      if (found === undefined || (found.mode & 0o077) === 0) continue;
      return {
        what: `${path} can be read by other accounts (mode ${(found.mode & 0o777).toString(8)})`,
        cure:
          `chmod 600 ${path}; if others have an account on this machine, replace the keys ` +
          '(docs/guides/operations.md, "Keys")',
      };
    }
    return undefined;
  },
};

export const dataFolder: MachineCheck = {
  name: 'this account alone can use the data folder',
  check: async ({ settings }) => {
    const root = resolve(settings['app.data-dir']);
    if ((await statOf(root)) === undefined) return noFolder;
    try {
      await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      return {
        what: `data folder ${root} cannot be used (${(error as NodeJS.ErrnoException).code})`,
        cure: 'run Florin as the account that owns it, or choose another folder with APP_DATA_DIR',
      };
    }
    return (await ofFolder(root)) ?? ofCluster(join(root, 'postgres', 'cluster'));
  },
};

/** An account that may write into a folder can replace every file in it, whatever the modes of the files are. */
async function ofFolder(root: string): Promise<Finding | undefined> {
  const { mode } = await stat(root);
  if ((mode & 0o022) === 0) return undefined;
  return {
    what:
      `other accounts may write into ${root} (mode ${(mode & 0o7777).toString(8)}), ` +
      'and so replace the keys and the database',
    cure:
      `chmod 700 ${root}; if others have an account on this machine, replace the keys ` +
      '(docs/guides/operations.md, "Keys")',
  };
}

/** PostgreSQL refuses to start on a folder that others may enter, or that another account owns. */
async function ofCluster(cluster: string): Promise<Finding | undefined> {
  const found = await statOf(cluster);
  if (found === undefined) return undefined;
  const uid = process.geteuid?.() ?? found.uid;
  if (uid !== 0 && found.uid !== uid) {
    return {
      what: `${cluster} belongs to user ${found.uid}, and this is user ${uid}`,
      cure: `run Florin as user ${found.uid}, or as root`,
    };
  }
  if ((found.mode & 0o027) === 0) return undefined;
  return {
    what:
      `${cluster} can be entered by other accounts (mode ${(found.mode & 0o777).toString(8)}), ` +
      'and PostgreSQL refuses to start on it',
    cure: `chmod 700 ${cluster}`,
  };
}

export const keys: MachineCheck = {
  name: 'the keys are there',
  check: async ({ settings }) => {
    try {
      await requireKeys(settings);
      return undefined;
    } catch (error) {
      return findingOf(error, 'put the keys of this installation there, from a backup or wherever they are kept');
    }
  },
};

export const diskSpace: MachineCheck = {
  name: 'the disk of the data folder has room',
  check: async ({ settings, machine }) => {
    const root = resolve(settings['app.data-dir']);
    if ((await statOf(root)) === undefined) return noFolder;
    const { free, total } = await machine.freeSpace(root);
    const isNearlyFull = free < gigabyte || (free < total / 10 && free < 20 * gigabyte);
    const left = `${Math.floor(free / megabyte)} MB left of ${Math.floor(total / megabyte)} MB`;
    if (!isNearlyFull) return { fact: left };
    return {
      what: `the disk of ${root} has ${left}; when it is full nothing can be written`,
      cure:
        'make room or enlarge the disk; app.webhook.keep-deliveries and app.webhook.keep-attempts limit what is ' +
        'kept',
    };
  },
};

/** 2,000 connections of one address, as many to webhook receivers, and files. */
const filesNeeded = 4_096;

export const openFiles: MachineCheck = {
  name: 'a process may open enough files',
  check: async ({ machine }) => {
    const limit = await machine.openFileLimit();
    if (limit === undefined) return { skipped: 'this system does not tell' };
    if (limit >= filesNeeded) return undefined;
    return {
      what: `a process may open ${limit} files, and each connection is one`,
      cure: `raise the limit to ${filesNeeded} or more: LimitNOFILE in the systemd unit, or ulimit -n`,
    };
  },
};

export const port: MachineCheck = {
  name: 'the port is free, or Florin listens on it',
  check: async ({ settings }) => {
    try {
      await requireFreePort(settings);
      return undefined;
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      if (await answersAsFlorin(settings)) return undefined;
      const { 'app.server.host': host, 'app.server.port': number } = settings;
      return {
        what: error.message.replace(/\.$/, ''),
        cure: `find the program with ss -ltnp 'sport = :${number}' and stop it, or set PORT (HOST is ${host})`,
      };
    }
  },
};
