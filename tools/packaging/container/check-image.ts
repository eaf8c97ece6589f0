import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { administratorOf, dataOf } from '@florin/server/tests/factories.ts';
import { administratorPassword, clientOf } from '@florin/server/tests/service/florin.ts';
import { mount, settingsOf, sizesOf } from './engine.ts';
import type { Architecture, Variant } from './places.ts';

/** Bytes that an image may take, on disk and in a registry. */
const limits: Record<Variant, { unpacked: number; compressed: number }> = {
  whole: { unpacked: 260_000_000, compressed: 100_000_000 },
  small: { unpacked: 200_000_000, compressed: 100_000_000 },
};

const inMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** @throws Error when the image is larger than promised; returns its sizes in words */
export function checkSizes(image: string, variant: Variant): string {
  const scratch = mkdtempSync(join(tmpdir(), 'florin-image-'));
  try {
    const sizes = sizesOf(image, scratch);
    const told = `${inMegabytes(sizes.compressed)} compressed, ${inMegabytes(sizes.unpacked)} unpacked`;
    for (const which of ['compressed', 'unpacked'] as const) {
      if (sizes[which] > limits[variant][which])
        throw new Error(`${image} has ${told}: more than ${inMegabytes(limits[variant][which])} ${which}`);
    }
    return told;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What ELF calls them, in two bytes from the eighteenth on. */
const machines: Record<Architecture, number> = { amd64: 62, arm64: 183 };

/** @throws Error when Node.js or the system's library of C in the image is for another machine */
export function checkArchitecture(image: string, architecture: Architecture): void {
  using files = mount(image);
  for (const pattern of ['opt/florin/node_modules/node-linux-*/bin/node', 'usr/lib/*-linux-gnu/libc.so.6']) {
    const [path = pattern] = globSync(pattern, { cwd: files.folder });
    const machine = readFileSync(join(files.folder, path)).readUInt16LE(18);
    if (machine !== machines[architecture]) throw new Error(`${path} of ${image} is not for ${architecture}`);
  }
}

/**
 * Starts the image as its settings say, as an engine would with `--read-only --tmpfs /tmp`: an unprivileged account, a
 * root that nobody can write, a volume at /data. Makes a payment, and stops it as an engine does.
 *
 * @throws Error when one of these fails
 */
export async function checkStart(image: string): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'florin-data-'));
  try {
    chownSync(data, 1000, 1000);
    const begunAt = performance.now();
    using files = mount(image);
    const child = startAsEngine(image, files.folder, data);
    const ended = once(child, 'exit');
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    try {
      const address = await addressOf(child.stdout);
      if (address === undefined) throw new Error(`${image} ended before it was ready: ${log}`);
      const readyMs = Math.round(performance.now() - begunAt);
      await pay(address);
      child.kill('SIGTERM');
      const [code] = await ended;
      if (code !== 0) throw new Error(`${image} ended with ${code} after SIGTERM: ${log}`);
      return `ready after ${readyMs} ms, took a payment, and ended with 0 after SIGTERM`;
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Of a mount namespace, in which the files of the image ($1) are read only, with $2 at /data. */
const mounts = `
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount --bind "$2" "$1/data"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$1/tmp"
mount --rbind /proc "$1/proc"
mount --rbind /dev "$1/dev"
shift 2
exec "$@"`;

function startAsEngine(image: string, folder: string, data: string) {
  const { User, Env, Entrypoint, Cmd, WorkingDir } = settingsOf(image);
  const [, uid, gid] = /^([1-9]\d*):([1-9]\d*)$/.exec(User) ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`${image} runs as "${User}", which may be root`);
  const settings = ['PORT=0', 'HOST=127.0.0.1', 'APP_PROCESSES=1', `APP_ADMIN_PASSWORD=${administratorPassword}`];
  const inside = ['--root', folder, '--wd', WorkingDir, '--setuid', uid, '--setgid', gid];
  const program = ['env', '-i', ...Env, ...settings, '/usr/bin/unshare', ...inside, '--', ...Entrypoint, ...Cmd];
  const isolated = ['setpriv', '--no-new-privs', '--clear-groups', '--', ...program];
  // Each program becomes the next one, so that a signal reaches Florin itself.
  return spawn('unshare', ['--mount', 'sh', '-ec', mounts, 'sh', folder, data, ...isolated], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Where it is ready; undefined: its output ended before. */
async function addressOf(output: Readable): Promise<string | undefined> {
  let printed = '';
  for await (const chunk of output.setEncoding('utf8')) {
    printed += chunk;
    const [, address] = /"address":"([^"]+)"/.exec(printed) ?? [];
    if (address !== undefined) return address;
  }
  return undefined;
}

async function pay(address: string): Promise<void> {
  const client = clientOf(address);
  const session = await administratorOf(client);
  const channel = { code: 'bank', name: 'Bank', type: 'OFFLINE', currency: 'USD', country: 'US', state: true };
  const { id } = dataOf(await client.post('/api/channel/modify', { ...channel, livemode: false }, session));
  const { sk } = dataOf(await client.post('/api/developer/mine/generate', { scope: '*', livemode: false }, session));
  const reply = await client.post(
    '/api/transaction/create',
    { channelId: id, amount: 1099, currency: 'USD' },
    `ApiKey ${sk}`,
  );
  if (reply.status !== 200) throw new Error(`${address} took no payment: ${JSON.stringify(reply.body)}`);
}
