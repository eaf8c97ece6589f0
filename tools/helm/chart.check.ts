import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { external, least, plugin, read, the, usual } from './manifests.ts';
import { chart, isInstalled } from './places.ts';
import { lint, render, runHelm, valuesFiles } from './render.ts';
import { type Manifest, Schemas } from './schemas.ts';

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
