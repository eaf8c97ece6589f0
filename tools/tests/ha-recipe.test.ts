import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentName, settings } from '@florin/server/app/config/settings.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readUnit } from '../ha-drill/units.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const recipe = join(root, 'deploy/ha');
const guide = readFileSync(join(root, 'docs/guides/high-availability.md'), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'florin-ha-'));
const machine = join(scratch, 'florin2');
const read = (path: string) => readFileSync(join(machine, path), 'utf8');
const isInstalled = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;

beforeAll(() => {
  execFileSync('sh', [join(recipe, 'prepare.sh'), join(recipe, 'cluster.env'), scratch]);
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('every value of a template is filled in, and the secrets stay the same when it is written again', () => {
  const files = globSync('**/*', { cwd: machine }).filter((path) => statSync(join(machine, path)).isFile());
  expect(files.length).toBeGreaterThan(12);
  expect(files.filter((path) => /@[A-Z_]+\d?@/.test(read(path)))).toEqual([]);
  const before = read('etc/florin/florin.env');
  execFileSync('sh', [join(recipe, 'prepare.sh'), join(recipe, 'cluster.env'), scratch]);
  expect(read('etc/florin/florin.env')).toBe(before);
});

test('only the owner may read the secrets and keys', () => {
  for (const path of ['secrets.env', 'ca.key', 'machine-florin2.key', 'florin2/etc/florin/florin.env']) {
    expect(statSync(join(scratch, path)).mode & 0o077, path).toBe(0);
  }
});

test('Patroni waits for a standby before it acknowledges, and its times fit together', () => {
  const { ttl, loop_wait, retry_timeout, ...dcs } = parse(read('etc/patroni/patroni.yml')).bootstrap.dcs;
  expect(dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true });
  expect(dcs.primary_start_timeout).toBeLessThanOrEqual(10);
  expect(loop_wait + 2 * retry_timeout).toBeLessThanOrEqual(ttl);
});

test('Patroni is a release that compares before it writes the leader key', () => {
  const [, version = ''] =
    /^patroni\[etcd3,psycopg3\]==(.*)$/m.exec(readFileSync(join(recipe, 'requirements.txt'), 'utf8')) ?? [];
  expect(version).toMatch(/^4\./);
  expect(guide).toContain(`Patroni ${version}`);
});

test('every setting of Florin exists and takes its value, and its database is reached with TLS only', () => {
  const names = new Map(Object.entries(settings).map(([name, setting]) => [environmentName(name), setting]));
  const lines = [...read('etc/florin/florin.env').matchAll(/^(APP_\w+)=(.*)$/gm)];
  expect(lines.length).toBeGreaterThan(5);
  for (const [, name = '', value = ''] of lines) {
    expect(names.has(name), name).toBe(true);
    expect(() => names.get(name)?.kind.parse(value), name).not.toThrow();
  }
  expect(read('etc/florin/florin.env')).toMatch(
    /^APP_DATABASE_URL=.*target_session_attrs=read-write&sslmode=verify-full/m,
  );
  const rules = parse(read('etc/patroni/patroni.yml')).postgresql.pg_hba as string[];
  expect(rules.filter((rule) => !/^local .* peer$|^hostssl .* scram-sha-256$/.test(rule))).toEqual([]);
});

test('the guide names every file of the recipe', () => {
  const files = globSync('files/**/*', { cwd: recipe }).filter((path) => statSync(join(recipe, path)).isFile());
  // Drop-ins of two lines.
  const named = files
    .map((path) => path.replace(/^files\//, ''))
    .filter((path) => !path.endsWith('.service.d/florin.conf'));
  expect(named.filter((path) => !guide.includes(`\`${path}\``))).toEqual([]);
  for (const script of ['prepare.sh', 'install.sh', 'cluster.env', 'requirements.txt']) expect(guide).toContain(script);
});

test('a unit is read with its drop-ins, variables and environment files', () => {
  const folder = join(scratch, 'units');
  for (const path of ['lib/systemd/system', 'etc/systemd/system/a.service.d', 'etc/default']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  const unit = '[Unit]\nAfter=b\n[Service]\nUser=u\nEnvironment="X=1 2" Y=z\nEnvironmentFile=-/etc/default/%p\n';
  writeFileSync(join(folder, 'lib/systemd/system/a.service'), `${unit}ExecStart=/bin/a -x $X \${X} $ARGS\n`);
  writeFileSync(join(folder, 'etc/default/a'), '# words\nARGS="-v -w"\n');
  writeFileSync(join(folder, 'etc/systemd/system/a.service.d/f.conf'), '[Service]\nRestart=always\nRestartSec=2\n');
  expect(readUnit(folder, 'a')).toMatchObject({
    command: ['/bin/a', '-x', '1', '2', '1 2', '-v', '-w'],
    environment: { X: '1 2', Y: 'z', ARGS: '-v -w' },
    user: 'u',
    restartsAfterMs: 2_000,
  });
});

test.skipIf(!isInstalled('systemd-analyze', '--version'))('systemd accepts the unit of Patroni', () => {
  const unit = join(recipe, 'files/etc/systemd/system/patroni.service');
  const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
  const said = stderr.split('\n').filter((line) => line.includes('patroni') && !line.includes('not executable'));
  expect(said).toEqual([]);
});

test.skipIf(!isInstalled('haproxy', '-v'))('HAProxy accepts its configuration', () => {
  const configuration = read('etc/haproxy/haproxy.cfg').replaceAll('/etc/haproxy/', `${machine}/etc/haproxy/`);
  writeFileSync(join(scratch, 'haproxy.cfg'), configuration);
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', join(scratch, 'haproxy.cfg')], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
});
