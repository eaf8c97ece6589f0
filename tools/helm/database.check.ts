import { describe, expect, test } from 'vitest';
import { external, least, nodeOf, plugin, the, usual } from './manifests.ts';
import { isInstalled } from './places.ts';
import { podOf, render, template } from './render.ts';

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
