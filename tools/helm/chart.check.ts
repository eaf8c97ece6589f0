import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentName, readSettings } from '@florin/server/app/config/settings.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { chart, isInstalled, root } from './places.ts';
import { lint, podOf, render, runHelm, template, valuesFiles } from './render.ts';
import { type Manifest, Schemas } from './schemas.ts';
import { secretSettings } from './values-schema.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const usual = 'ci/cloudnative-pg.yaml';
const external = 'ci/external.yaml';
const least = 'ci/least.yaml';
const plugin = 'ci/plugin.yaml';

/** The only manifest of a kind, or the one with this name, or whose name ends so. */
function the(manifests: readonly Manifest[], kind: string, suffix = ''): Manifest {
  const isIt = ({ metadata: { name } }: Manifest) => name === suffix || (suffix[0] !== 'f' && name.endsWith(suffix));
  const found = manifests.filter((one) => one.kind === kind && isIt(one));
  expect(found, `${kind} ${suffix}`).toHaveLength(1);
  return found[0] as Manifest;
}

/** The pod of a node. */
const nodeOf = (manifests: readonly Manifest[]) => the(manifests, 'Deployment').spec.template.spec;

const kindsOf = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind);

describe.skipIf(!isInstalled())('the chart', () => {
  test('has values for a database of each kind, each kind of backup, and the least', () => {
    expect(valuesFiles).toEqual([usual, external, least, plugin]);
  });

  test.each(valuesFiles)('helm finds nothing to say about it with %s', (file) => {
    const { status, stdout } = lint(file);
    expect(status, stdout).toBe(0);
    expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
  });

  // Read once: it takes a second.
  let schemas: Schemas;
  beforeAll(() => {
    schemas = new Schemas();
  });

  test.each(valuesFiles)('every object of %s is as its definition says, without unknown fields', (file) => {
    const manifests = render(file);
    expect(manifests.length).toBeGreaterThan(3);
    expect(manifests.flatMap((manifest) => schemas.problemsOf(manifest))).toEqual([]);
  });

  test('a misspelt field, a wrong type and a missing field are found, in objects of Kubernetes and of others', () => {
    const broken = (kind: string, breakIt: (spec: Manifest) => void) => {
      const manifest = structuredClone(the(render(usual), kind, kind === 'NetworkPolicy' ? '-node' : ''));
      breakIt(manifest.spec);
      return schemas.problemsOf(manifest).length;
    };
    const podSpec = ({ template: { spec } }: Manifest) => spec.containers[0];
    for (const [kind, breakIt] of [
      ['Deployment', (spec) => Object.assign(podSpec(spec), { redinessProbe: podSpec(spec).readinessProbe })],
      ['Deployment', (spec) => Object.assign(podSpec(spec).readinessProbe, { periodSeconds: '2' })],
      ['NetworkPolicy', (spec) => Object.assign(spec, { ingres: [] })],
      ['Cluster', (spec) => Object.assign(spec.postgresql.synchronous, { failoverquorum: true })],
      ['Cluster', (spec) => Object.assign(spec.backup.barmanObjectStore, { destinationpath: 's3://x' })],
      ['Cluster', (spec) => Object.assign(spec, { instances: 'three' })],
      ['ScheduledBackup', (spec) => delete spec.schedule],
      ['HTTPRoute', (spec) => Object.assign(spec.rules[0], { timeout: '0s' })],
      ['ServiceMonitor', (spec) => Object.assign(spec.endpoints[0], { tokn: 'x' })],
    ] as [string, (spec: Manifest) => void][]) {
      expect(broken(kind, breakIt), `${kind}: ${breakIt}`).toBeGreaterThan(0);
    }
    expect(schemas.problemsOf({ apiVersion: 'apps/v1beta9', kind: 'Deployment', metadata: { name: 'x' } })).not.toEqual(
      [],
    );
  });

  test('another release has other names, and finds its own pods', () => {
    const manifests = render(usual, '--name-template', 'shop');
    for (const { metadata } of manifests) expect(metadata.name).toMatch(/^shop-florin(-|$)/);
    const { spec } = the(manifests, 'Deployment');
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    expect(spec.template.metadata.labels).toMatchObject(the(manifests, 'Service').spec.selector);
  });
});

describe.skipIf(!isInstalled())('secrets', () => {
  test.each(valuesFiles)('%s renders no Secret and no value of a secret setting', (file) => {
    const manifests = render(file);
    expect(kindsOf(manifests)).not.toContain('Secret');
    expect(kindsOf(manifests)).not.toContain('ConfigMap');
    for (const { name, value } of manifests.flatMap(variablesOf)) {
      if (!secretSettings.includes(name) || value === undefined) continue;
      // Kubernetes puts in what it reads from the Secret of CloudNativePG.
      expect(value).toMatch(/^postgres:\/\/\$\(DATABASE_ACCOUNT\):\$\(DATABASE_PASSWORD\)@/);
    }
  });

  test('are refused among the settings, in which everybody who may read the release would see them', () => {
    expect(secretSettings).toContain('APP_ENCRYPTION_KEYS');
    for (const name of secretSettings) {
      const { status, stderr } = template(usual, '--set-string', `settings.${name}=x`);
      expect([status, stderr], name).toEqual([1, expect.stringContaining(name)]);
    }
  });

  test('reach nodes from the existing Secret, and migrations not at all', () => {
    const manifests = render(usual);
    const containers = (kind: string) => podOf(the(manifests, kind))?.spec.containers as Manifest[];
    expect(containers('Deployment')[0]?.envFrom).toEqual([{ secretRef: { name: 'florin' } }]);
    expect(containers('Job')[0]?.envFrom).toBeUndefined();
    const [{ env }] = the(manifests, 'Job').spec.template.spec.containers;
    const names = (env as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['DATABASE_ACCOUNT', 'DATABASE_PASSWORD', 'APP_DATABASE_URL', 'APP_DATABASE_REPLICA_URL']);
  });

  test('of the authority that signs the certificates of the database, pods see the certificate alone', () => {
    const volumes = render(usual).flatMap((manifest) => podOf(manifest)?.spec.volumes ?? []) as Manifest[];
    const secrets = volumes.filter(({ secret }) => secret !== undefined);
    expect(secrets.length).toBeGreaterThan(0);
    for (const { secret } of secrets) expect(secret.items).toEqual([{ key: 'ca.crt', path: 'ca.crt' }]);
  });

  const variablesOf = (manifest: Manifest) =>
    ((podOf(manifest)?.spec.containers ?? []) as Manifest[]).flatMap(
      ({ env = [] }) => env as { name: string; value?: string }[],
    );
});

describe.skipIf(!isInstalled())('migrations', () => {
  test('run before an upgrade with a time limit for locks and a deadline, which ends before that of the Job', () => {
    const { metadata, spec } = the(render(usual), 'Job', '-migration');
    expect(metadata.annotations['helm.sh/hook']).toBe('pre-upgrade');
    const [{ args }] = spec.template.spec.containers;
    expect(args).toEqual(['migrate', '--lock-timeout=1s', '--deadline=600s']);
    expect(spec.activeDeadlineSeconds).toBeGreaterThan(600);
    expect(spec.activeDeadlineSeconds).toBeLessThanOrEqual(900);
  });

  test.each(valuesFiles)('nothing of %s runs before an installation', (file) => {
    const hooks = render(file).flatMap(({ metadata }) => metadata.annotations?.['helm.sh/hook'] ?? []);
    for (const hook of hooks) expect(['pre-upgrade', 'test']).toContain(hook);
  });

  test('their options are those of florin migrate, with the values of the release', () => {
    const words = ['--set', 'migration.lockTimeout=2.5s,migration.deadlineSeconds=30'];
    const [{ args }] = the(render(usual, ...words), 'Job').spec.template.spec.containers;
    const { stdout } = spawnSync(process.execPath, [join(root, 'cli/bin/florin.mjs'), 'migrate', '--help'], {
      encoding: 'utf8',
    });
    for (const word of args.slice(1)) expect(stdout).toContain(`${word.split('=')[0]} <duration>`);
    expect(args.slice(1)).toEqual(['--lock-timeout=2.5s', '--deadline=30s']);
  });

  test('can be left to the first new node', () => {
    expect(kindsOf(render(least))).not.toContain('Job');
  });

  test('are rehearsed with the settings of the service, by a Job that no release has unless it is asked for', () => {
    expect(render(usual).filter(({ kind }) => kind === 'Job')).toHaveLength(1);
    const { spec } = the(render(plugin), 'Job', '-rehearse');
    const [{ args, image, envFrom }] = spec.template.spec.containers;
    expect([args, image]).toEqual([['rehearse', '--in', '/data'], 'registry.example.com/florin:0.2.0-whole']);
    expect(envFrom).toEqual([{ secretRef: { name: 'florin' } }]);
    const verify = the(render(least, '--set-json', 'job.args=["verify"]'), 'Job', '-verify');
    expect(verify.spec.template.spec.containers[0].image).toBe('localhost/florin:small');
  });
});

describe.skipIf(!isInstalled())('pods', () => {
  test.each(valuesFiles)('of %s have no right that they do not need', (file) => {
    const pods = render(file).flatMap((manifest) => podOf(manifest) ?? []);
    expect(pods.length).toBeGreaterThan(1);
    for (const { spec } of pods) {
      expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const { securityContext, resources } of spec.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources.limits.memory).toBeDefined();
      }
      for (const one of ['hostNetwork', 'hostPID', 'hostIPC']) expect(spec[one]).toBeUndefined();
    }
  });

  test.each(valuesFiles)('of %s start with settings that Florin accepts', (file) => {
    const url = 'postgres://florin:secret@db.example/florin?sslmode=verify-full';
    const key = `a1:${Buffer.alloc(32).toString('base64')}`;
    const ofSecret = { APP_JWT_KEYS: key, APP_ENCRYPTION_KEYS: key, APP_METRICS_TOKEN: 'token' };
    const pods = render(file).flatMap((manifest) => podOf(manifest) ?? []);
    for (const { labels, spec } of pods) {
      const [{ env, envFrom }] = spec.containers;
      const given: Record<string, string> = { PORT: '8080', HOST: '0.0.0.0' };
      for (const { name, value, valueFrom } of env as Manifest[]) {
        const from = name.startsWith('APP_') ? url : 'secret';
        // As Kubernetes does: with what was named before.
        const known = (_all: string, one: string) => given[one] ?? `$(${one})`;
        given[name] = valueFrom === undefined ? value.replaceAll(/\$\(([A-Z_]+)\)/g, known) : from;
      }
      const settings = readSettings({ ...given, ...(envFrom && ofSecret) }, undefined);
      expect(settings['app.deployment-mode']).toBe('CLUSTER');
      expect(settings['app.database.url']).toMatch(
        /^postgres:\/\/(florin:secret@db\.example|secret:secret@[a-z-]+-rw)[:/]/,
      );
      if (labels['app.kubernetes.io/component'] !== 'node') continue;
      expect(settings).toMatchObject({ 'app.server.port': 8080, 'app.processes': 1, 'app.data-dir': '/data/florin' });
    }
  });

  test('run as the account of the image, and write where it may', () => {
    const image = read('Containerfile');
    expect(image).toContain('USER 1000:1000');
    const [{ volumeMounts }] = nodeOf(render(usual)).containers;
    const written = volumeMounts.filter((one: { readOnly?: boolean }) => one.readOnly !== true);
    expect(written.map((one: { mountPath: string }) => one.mountPath)).toEqual(['/data', '/tmp']);
  });

  test('are asked whether they live and are ready on the paths that say so, and get time to end', () => {
    const { spec } = podOf(the(render(usual), 'Deployment')) ?? {};
    const [{ livenessProbe, readinessProbe, startupProbe, lifecycle }] = spec?.containers ?? [];
    const path = ({ httpGet }: Manifest) => httpGet.path;
    expect([livenessProbe, startupProbe, readinessProbe].map(path)).toEqual([
      '/health/live',
      '/health/live',
      '/health/ready',
    ]);
    // Florin needs 45 seconds to stop (docs/guides/containers.md).
    expect(spec?.terminationGracePeriodSeconds - lifecycle.preStop.sleep.seconds).toBeGreaterThanOrEqual(45);
  });

  test('are spread, and drained one at a time, from two on', () => {
    const two = render(least, '--set', 'replicas=2');
    const { selector, maxUnavailable } = the(two, 'PodDisruptionBudget').spec;
    const pod = podOf(the(two, 'Deployment'));
    expect(maxUnavailable).toBe(1);
    expect(pod?.labels).toMatchObject(selector.matchLabels);
    const spread = pod?.spec.topologySpreadConstraints as Manifest[];
    expect(spread.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable])).toEqual([
      ['kubernetes.io/hostname', 'DoNotSchedule'],
      ['topology.kubernetes.io/zone', 'ScheduleAnyway'],
    ]);
    for (const { labelSelector } of spread) expect(pod?.labels).toMatchObject(labelSelector.matchLabels);
    expect(kindsOf(render(least))).not.toContain('PodDisruptionBudget');
  });

  test('a new version replaces them one after the other, and the budget of none is broken', () => {
    expect(the(render(usual), 'Deployment').spec.strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
  });
});

describe.skipIf(!isInstalled())('network policies', () => {
  /** What a policy allows, as lines. */
  const flowsOf = ({ metadata, spec }: Manifest) =>
    (['ingress', 'egress'] as const).flatMap((direction) =>
      ((spec[direction] ?? []) as Manifest[]).flatMap((rule) => {
        const peers = (direction === 'ingress' ? rule.from : rule.to) as Manifest[];
        // Without peers, a rule allows all of them.
        expect(peers.length, JSON.stringify(rule)).toBeGreaterThan(0);
        const ports = (rule.ports as { port: number }[]).map(({ port }) => port).join(' ');
        return peers.map((peer) => `${metadata.name} ${direction} ${ports} ${describePeer(peer)}`);
      }),
    );

  const describePeer = ({ ipBlock, namespaceSelector, podSelector }: Manifest) =>
    ipBlock?.cidr ??
    [namespaceSelector, podSelector]
      .map((selector) => selector?.matchLabels && Object.values(selector.matchLabels).join('+'))
      .filter((text) => text !== undefined)
      .join('/');

  test('let pods do what they need with a database of CloudNativePG, and nothing else', () => {
    const policies = render(usual).filter(({ kind }) => kind === 'NetworkPolicy');
    // Of every pod of the release: what no policy allows is refused, in both directions.
    expect(the(policies, 'NetworkPolicy', 'florin').spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(the(policies, 'NetworkPolicy', 'florin-database').spec.policyTypes).toEqual(['Ingress']);
    expect(policies.flatMap(flowsOf)).toEqual([
      'florin egress 53 53 kube-system/kube-dns',
      'florin egress 5432 florin-database',
      'florin-node ingress http gateways',
      'florin-node ingress http monitoring/prometheus',
      'florin-outside egress 443 465 587 0.0.0.0/0',
      'florin-outside egress 443 465 587 ::/0',
      'florin-database ingress 5432 florin+florin',
      'florin-database ingress 5432 8000 florin-database',
      'florin-database ingress 5432 8000 cnpg-system/cloudnative-pg',
      'florin-database ingress 9187 monitoring/prometheus',
    ]);
  });

  test('let pods do what they need with a database elsewhere, and nothing else', () => {
    const policies = render(external).filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies.flatMap(flowsOf)).toEqual([
      'florin egress 53 53 kube-system/kube-dns',
      'florin egress 5432 6432 10.1.2.3/32',
      'florin egress 5432 6432 10.1.2.4/32',
      'florin-node ingress http ingress',
      'florin-outside egress 443 465 587 0.0.0.0/0',
      'florin-outside egress 443 465 587 ::/0',
      'florin-outside egress 4318 tracing',
    ]);
  });

  test('keep nodes from private addresses, among them the one that tells machines their credentials', () => {
    const [rule] = the(render(usual), 'NetworkPolicy', '-outside').spec.egress;
    expect(rule.to[0].ipBlock.except).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']),
    );
    expect(rule.to[1].ipBlock.except).toEqual(expect.arrayContaining(['fc00::/7', 'fe80::/10']));
  });

  test('hold for every pod of the release, of which only nodes are reached, and nodes and the test call others', () => {
    const manifests = render(plugin);
    const selects = (suffix: string) => {
      const { matchLabels, matchExpressions = [] } = the(manifests, 'NetworkPolicy', suffix).spec.podSelector;
      return (labels: Record<string, string>) =>
        Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
        (matchExpressions as Manifest[]).every(({ key, values }) => values.includes(labels[key]));
    };
    const [all, node, outside] = ['florin', '-node', '-outside'].map(selects);
    const selected = manifests.flatMap((manifest) => {
      const { labels } = podOf(manifest) ?? {};
      return labels === undefined
        ? []
        : [[labels['app.kubernetes.io/component'], ...[all, node, outside].map((by) => by?.(labels))]];
    });
    expect(selected.sort()).toEqual([
      ['job', true, false, false],
      ['migration', true, false, false],
      ['node', true, true, true],
      ['test', true, false, true],
    ]);
  });
});

describe.skipIf(!isInstalled())('the way in', () => {
  test('is an Ingress without annotations, below the path of the public address', () => {
    const { metadata, spec } = the(render(external), 'Ingress');
    expect(metadata.annotations).toBeUndefined();
    expect(spec.rules).toEqual([
      {
        host: 'example.com',
        http: {
          paths: [
            { path: '/florin', pathType: 'Prefix', backend: { service: { name: 'florin', port: { name: 'http' } } } },
          ],
        },
      },
    ]);
  });

  test('is a route of the Gateway API, on which the stream of events has no time limit', () => {
    const { spec } = the(render(usual), 'HTTPRoute');
    expect(spec.hostnames).toEqual(['pay.example.com']);
    const [stream, rest] = spec.rules;
    expect([stream.matches[0].path.value, stream.timeouts.request]).toEqual(['/api/stream', '0s']);
    expect([rest.matches[0].path, rest.timeouts]).toEqual([{ type: 'PathPrefix', value: '/' }, undefined]);
  });

  test('is closed by default, and open only with the networks of those who send requests', () => {
    expect(kindsOf(render(least)).filter((kind) => ['Ingress', 'HTTPRoute'].includes(kind))).toEqual([]);
    for (const [word, missing] of [
      ['trustedProxies=[]', 'trustedProxies'],
      ['networkPolicy.callers=[]', 'networkPolicy.callers'],
      ['httpRoute.parentRefs=[]', 'httpRoute.parentRefs'],
    ] as const) {
      const { status, stderr } = template(usual, '--set-json', word);
      expect([status, stderr], word).toEqual([1, expect.stringContaining(`${missing} is missing`)]);
    }
  });
});

describe.skipIf(!isInstalled())('the database', () => {
  test('acknowledges nothing that only one instance has, and only a standby that has everything takes over', () => {
    const { metadata, spec } = the(render(usual), 'Cluster');
    expect(spec.postgresql.synchronous).toEqual({
      method: 'any',
      number: 1,
      dataDurability: 'required',
      failoverQuorum: true,
    });
    expect([spec.instances, spec.affinity.podAntiAffinityType, spec.enablePDB]).toEqual([3, 'required', true]);
    expect(metadata.annotations['helm.sh/resource-policy']).toBe('keep');
    expect(the(render(least), 'Cluster').spec.postgresql.synchronous).toBeUndefined();
  });

  test('is made with letters of all languages, which the search needs', () => {
    const { initdb } = the(render(usual), 'Cluster').spec.bootstrap;
    expect(initdb).toMatchObject({ encoding: 'UTF8', localeCollate: 'C', localeCType: 'C.UTF-8', owner: 'florin' });
  });

  test('is archived at least once a minute, with a base backup at once and then each night', () => {
    const manifests = render(usual);
    const { postgresql, backup } = the(manifests, 'Cluster').spec;
    expect(postgresql.parameters).toMatchObject({ archive_timeout: '60s', shared_buffers: '1GB' });
    expect(backup).toMatchObject({
      retentionPolicy: '30d',
      barmanObjectStore: { destinationPath: 's3://florin-backups/' },
    });
    expect(the(manifests, 'ScheduledBackup').spec).toMatchObject({ immediate: true, schedule: '0 15 3 * * *' });
  });

  test('is restored to a point in time, under another name, from where the backups are', () => {
    const { bootstrap, externalClusters, plugins } = the(render(plugin), 'Cluster').spec;
    const from = { barmanObjectName: 'florin-backups', serverName: 'florin-database' };
    expect(bootstrap.recovery).toMatchObject({ recoveryTarget: { targetTime: '2026-01-31 09:30:00+00' } });
    expect(externalClusters[0].plugin.parameters).toEqual(from);
    expect(plugins[0]).toMatchObject({ isWALArchiver: true, parameters: { barmanObjectName: 'florin-backups' } });
    const words = ['--set', 'database.cluster.recovery.from=florin-database'];
    expect(template(plugin, ...words, '--set', 'database.cluster.name=').stderr).toContain(
      'give the new one another name',
    );
    const [origin] = the(render(usual, '--name-template', 'again-florin', ...words), 'Cluster').spec.externalClusters;
    expect(origin.barmanObjectStore).toMatchObject({
      serverName: 'florin-database',
      destinationPath: 's3://florin-backups/',
    });
  });

  test('has a backup, or values that say that it has none', () => {
    const { status, stderr } = template(usual, '--set', 'database.cluster.backup.method=');
    expect([status, stderr]).toEqual([1, expect.stringContaining('backup.method is missing')]);
  });

  test('allows the connections of all nodes and of one more, or the values are refused', () => {
    expect(template(usual, '--set', 'replicas=5').status).toBe(0);
    expect(template(usual, '--set', 'replicas=9').stderr).toContain('max_connections is 200: 9 replicas need 280');
    const more = '--set-string=database.cluster.parameters.max_connections=300';
    expect(template(usual, '--set', 'replicas=9', more).status).toBe(0);
    const wide = '--set-string=settings.APP_DATABASE_CONNECTIONS=100';
    expect(template(usual, wide).stderr).toContain('3 replicas need 484');
  });

  test('is asked for its certificate, and elsewhere too if the values name its authority', () => {
    for (const [file, secretName] of [
      [usual, 'florin-database-ca'],
      [external, 'florin-database-ca'],
    ] as const) {
      const { spec } = podOf(the(render(file), 'Deployment')) ?? {};
      expect(spec?.volumes).toContainEqual(
        expect.objectContaining({ secret: expect.objectContaining({ secretName }) }),
      );
    }
    const [{ env }] = nodeOf(render(usual)).containers;
    const url = env.find(({ name }: { name: string }) => name === 'APP_DATABASE_URL').value;
    expect(url).toMatch(
      /@florin-database-rw:5432\/florin\?sslmode=verify-full&sslrootcert=\/etc\/florin\/database-ca\/ca\.crt$/,
    );
  });
});

describe.skipIf(!isInstalled())('metrics and alerts', () => {
  test('the alerts are those of deploy/prometheus, under the job that they expect', () => {
    const manifests = render(usual);
    expect(the(manifests, 'PrometheusRule').spec).toEqual(parse(read('deploy/prometheus/florin.rules.yml')));
    const monitor = the(manifests, 'ServiceMonitor');
    expect(the(manifests, 'Service').metadata.labels[monitor.spec.jobLabel]).toBe('florin');
    expect(monitor.metadata.labels.release).toBe('prometheus');
  });

  test('the token of the metrics comes from the existing Secret', () => {
    const [endpoint] = the(render(external), 'ServiceMonitor').spec.endpoints;
    expect(endpoint.authorization.credentials).toEqual({ name: 'florin', key: environmentName('app.metrics.token') });
  });
});

describe.skipIf(!isInstalled())('values', () => {
  test.each([
    ['a name that there is not', 'replicaz=3', 'replicaz'],
    ['one further below', 'database.cluster.instence=3', 'instence'],
    ['a setting that there is not', 'settings.APP_NONSENSE=x', 'APP_NONSENSE'],
    ['a setting that the chart makes', 'settings.APP_ROLE=api', 'APP_ROLE'],
    ['another type', 'replicas=three', 'replicas'],
    ['a number as a setting', 'settings.APP_PASSWORD_MIN_LENGTH=12', 'APP_PASSWORD_MIN_LENGTH'],
    ['no image', 'image.repository=', 'repository'],
    ['no address', 'publicUrl=', 'publicUrl'],
    ['no Secret', 'secrets.name=', 'secrets'],
    ['an unknown kind of database', 'database.kind=mysql', 'kind'],
  ])('with %s are refused', (_what, word, named) => {
    const { status, stderr } = template(usual, '--set', word);
    expect([status, stderr]).toEqual([1, expect.stringContaining(named)]);
  });

  test('of a database elsewhere need its Secret, and where it is', () => {
    for (const word of ['database.external.secret=""', 'networkPolicy.database=[]']) {
      const missing = word.split('=')[0];
      expect(template(external, '--set-json', word).stderr).toContain(`${missing} is missing`);
    }
  });

  test('that are required are missing by default, so that no installation runs with an example', () => {
    const { status, stderr } = runHelm('template', 'florin', chart, '--kube-version', '1.37.0');
    expect(status).toBe(1);
    for (const name of ['repository', 'publicUrl', 'name']) expect(stderr).toContain(name);
  });

  test('are each described in the line above, and known to their schema', () => {
    const lines = read('deploy/helm/values.yaml').split('\n');
    // Groups, and values that share the description of their group.
    const shares = new Set([
      ...['image', 'secrets', 'database', 'external', 'cluster', 'storage', 'backup', 'recovery', 'networkPolicy'],
      ...['metrics', 'monitor', 'enabled', 'interval', 'labels', 'parameters', 'shared_buffers', 'requests', 'limits'],
      ...[
        'size',
        'storageClass',
        'topologyKey',
        'kubernetes.io/hostname',
        'topology.kubernetes.io/zone',
        'podSelector',
      ],
    ]);
    const undescribed = lines.filter((line, i) => {
      const [, name] = /^\s*([\w./-]+):/.exec(line) ?? [];
      return name !== undefined && !shares.has(name) && !lines[i - 1]?.trim().startsWith('#');
    });
    expect(undescribed).toEqual([]);
    const schema = JSON.parse(read('deploy/helm/values.schema.json'));
    const unknown = (values: unknown, part: Manifest, path: string): string[] => {
      if (typeof values !== 'object' || values === null || Array.isArray(values) || part.properties === undefined)
        return [];
      return Object.entries(values).flatMap(([name, value]) =>
        part.properties[name] === undefined
          ? [`${path}${name}`]
          : unknown(value, part.properties[name], `${path}${name}.`),
      );
    };
    expect(unknown(parse(lines.join('\n')), schema, '')).toEqual([]);
  });
});

describe.skipIf(!isInstalled())('the package', () => {
  test('has the version of Florin, the alerts, and none of the values for its check', () => {
    const folder = mkdtempSync(join(tmpdir(), 'florin-chart-'));
    try {
      expect(runHelm('package', chart, '--destination', folder).status).toBe(0);
      const { version } = JSON.parse(read('package.json')) as { version: string };
      expect(parse(read('deploy/helm/Chart.yaml'))).toMatchObject({ version, appVersion: version });
      const { stdout } = spawnSync('tar', ['-tzf', join(folder, `florin-${version}.tgz`)], { encoding: 'utf8' });
      expect(stdout).toContain('florin/files/florin.rules.yml');
      expect(stdout).not.toContain('florin/ci/');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
