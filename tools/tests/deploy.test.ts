import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentName, settings } from '@florin/server/app/config/settings.ts';
import { Metrics } from '@florin/server/platform/metrics/metrics.ts';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { serverPrograms } from '../../cli/src/commands/operators.ts';
import { declaredMetrics } from '../tables/metrics-table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const isInstalled = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;
const scratch = mkdtempSync(join(tmpdir(), 'florin-deploy-'));
const guide = read('docs/guides/production.md');

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { runbook: string } }[] }[];
}
const alerts = (parse(read('deploy/prometheus/florin.rules.yml')) as Rules).groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(read('deploy/grafana/florin.json')) as {
  panels: { title: string; targets?: { expr: string }[] }[];
};
const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

test('every metric and label in alerts and dashboard is one that a node has', async () => {
  const labels = new Map(declaredMetrics.map((metric) => [metric.name, metric.labels]));
  const defaults = await new Metrics().text();
  for (const [, name = ''] of defaults.matchAll(/^# TYPE (\S+)/gm)) labels.set(name, []);
  const unknown = [...alerts.map(({ expr }) => expr), ...shown].flatMap((expression) =>
    [...expression.matchAll(/\b((?:florin|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].flatMap(
      ([, series = '', matchers = '']) => {
        const known = labels.get(series) ?? labels.get(series.replace(/_(bucket|sum|count)$/, ''));
        const wrong = [...matchers.matchAll(/(\w+)\s*[=!]/g)]
          .map(([, label = '']) => label)
          .filter((label) => !['instance', 'job', 'le', ...(known ?? [])].includes(label));
        return known === undefined ? [series] : wrong.map((label) => `${series}{${label}}`);
      },
    ),
  );
  expect(unknown).toEqual([]);
  const used = [...alerts.map(({ expr }) => expr), ...shown].join('\n');
  expect(declaredMetrics.map(({ name }) => name).filter((name) => !used.includes(name))).toEqual([]);
});

test('every alert is tested, both raised and not, and names an existing section of the docs', () => {
  const tests = read('deploy/prometheus/florin.rules.test.yml');
  for (const { alert, annotations } of alerts) {
    expect(tests.split(`alertname: ${alert}\n`).length + tests.split(`alertname: ${alert} }`).length, alert).toBe(4);
    const [page = '', anchor] = annotations.runbook.split('#');
    const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    if (anchor !== undefined) expect(headings, alert).toContain(anchor);
  }
});

test.skipIf(!isInstalled('promtool', '--version'))('promtool accepts the alerts, and their tests pass', () => {
  execFileSync('promtool', ['check', 'rules', 'florin.rules.yml'], { cwd: join(root, 'deploy/prometheus') });
  execFileSync('promtool', ['test', 'rules', 'florin.rules.test.yml'], { cwd: join(root, 'deploy/prometheus') });
});

test.skipIf(!isInstalled('systemd-analyze', '--version')).each(['florin.service', 'florin-backup.service'])(
  'systemd rates the exposure of %s at 4 or less',
  (unit) => {
    const words = ['security', '--offline=true', '--threshold=40', '--no-pager', join(root, 'deploy', unit)];
    const { status, stdout } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
    expect(stdout).toContain('Overall exposure level');
    expect(status, stdout).toBe(0);
  },
);

test('backups run each night with the account, settings and folder of the service, and report failures', () => {
  const [service, backup] = ['florin.service', 'florin-backup.service'].map((unit) => read(`deploy/${unit}`));
  const shared = /^(?:User|Group|EnvironmentFile|StateDirectory|WorkingDirectory)=.*$/gm;
  expect(backup?.match(shared)).toEqual(service?.match(shared));
  expect(backup).toMatch(/^ExecStart=\S+\/florin backup \S+ --keep 14$/m);
  const [, onFailure = ''] = /^OnFailure=(\S+)$/m.exec(backup ?? '') ?? [];
  expect(read(`deploy/${onFailure}`)).toMatch(/^ExecStart=/m);
  expect(read('deploy/florin-backup.timer')).toMatch(/^OnCalendar=\*-\*-\* /m);
  const guide = read('docs/guides/backup.md');
  for (const unit of ['florin-backup.service', 'florin-backup.timer', onFailure]) expect(guide).toContain(unit);
});

test.skipIf(!isInstalled('systemd-analyze', '--version'))('systemd accepts the timer', () => {
  const words = ['verify', '--man=no', join(root, 'deploy/florin-backup.timer')];
  const { stderr } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
  const said = stderr
    .split('\n')
    .filter((line) => line.includes('florin-backup') && !/not executable|bad-setting/.test(line));
  expect(said).toEqual([]);
});

test('the guides name the commands of operators as a package has them, which has no npm run', () => {
  const names = Object.keys(serverPrograms).join('|');
  const pages = globSync('docs/**/*.md', { cwd: root }).filter((page) => !page.startsWith('docs/decisions/'));
  const wrong = pages.filter((page) => new RegExp(`npm\\s+run\\s+(?:-\\S+\\s+)*(?:${names})\\b`).test(read(page)));
  expect(wrong).toEqual([]);
});

test('the unit and the image pass stop signals on to the service, and do not run it as root', () => {
  const unit = read('deploy/florin.service');
  expect(unit).toContain('KillMode=mixed');
  expect(unit).toMatch(/^User=florin$/m);
  const image = read('Containerfile');
  expect(image).toMatch(/^ARG BASE=\S+\nFROM \$\{BASE\}$/m);
  // Nothing is run while it is built, so that any machine builds it for any other.
  expect(image).not.toMatch(/^(RUN|ADD) /m);
  expect(image).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  expect(image).toMatch(/^HEALTHCHECK [\s\S]*\/health\/live/m);
  expect(image).toMatch(/^STOPSIGNAL SIGTERM$/m);
  // Without a shell in between, signals reach the service.
  expect(image).toMatch(/^ENTRYPOINT \["/m);
});

test('every setting in the Compose files exists', () => {
  const names = new Set([...Object.keys(settings).map(environmentName), 'HOST', 'PORT', 'DATABASE_URL']);
  const files = globSync('deploy/compose/*.yaml', { cwd: root });
  const used = files.flatMap((file) => [...read(file).matchAll(/\bAPP_[A-Z_]+\b/g)].map(([name]) => ({ file, name })));
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter(({ name }) => !names.has(name))).toEqual([]);
});

test('every setting in the production guide exists, and takes the value shown', () => {
  const names = new Map(Object.entries(settings).map(([name, setting]) => [environmentName(name), setting]));
  const used = [...guide.matchAll(/^(APP_\w+)=(.*)$/gm)];
  expect(used.length).toBeGreaterThan(6);
  for (const [, name = '', value = ''] of used) {
    expect(names.has(name), name).toBe(true);
    expect(() => names.get(name)?.kind.parse(value), `${name}=${value}`).not.toThrow();
  }
  for (const [, name = ''] of guide.matchAll(/`(APP_\w+)[=`]/g)) expect(names.has(name), name).toBe(true);
});

const configured = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(guide)?.[1] ?? '';

test.skipIf(!isInstalled('nginx', '-v'))('nginx accepts the configuration of the production guide', () => {
  const [key, certificate] = [join(scratch, 'key.pem'), join(scratch, 'certificate.pem')];
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    '/CN=pay.example.com',
  ];
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const server = configured('nginx')
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`);
  const paths = [
    'access_log off;',
    'error_log stderr;',
    ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${scratch}/${name};`),
  ];
  writeFileSync(
    join(scratch, 'nginx.conf'),
    `pid ${scratch}/pid;\nevents {}\nhttp {\n${paths.join('\n')}\n${server}}\n`,
  );
  const { status, stderr } = spawnSync('nginx', ['-t', '-p', scratch, '-c', join(scratch, 'nginx.conf')], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
});

test.skipIf(!isInstalled('caddy', 'version'))('Caddy accepts the configuration of the production guide', () => {
  writeFileSync(join(scratch, 'Caddyfile'), configured('caddy'));
  const { status, stderr } = spawnSync('caddy', ['adapt', '--config', join(scratch, 'Caddyfile'), '--validate'], {
    encoding: 'utf8',
    env: { ...process.env, HOME: scratch, XDG_DATA_HOME: scratch, XDG_CONFIG_HOME: scratch },
  });
  expect(status, stderr).toBe(0);
});
