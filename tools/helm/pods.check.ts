import { readSettings } from '@florin/server/app/config/settings.ts';
import { describe, expect, test } from 'vitest';
import { kindsOf, least, the, usual } from './manifests.ts';
import { isInstalled } from './places.ts';
import { podOf, render, valuesFiles } from './render.ts';
import type { Manifest } from './schemas.ts';

describe.skipIf(!isInstalled())('pods', () => {
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
