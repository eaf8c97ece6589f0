import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { external, read, usual } from './manifests.ts';
import { chart, isInstalled } from './places.ts';
import { runHelm, template } from './render.ts';
import type { Manifest } from './schemas.ts';

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
