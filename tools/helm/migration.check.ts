import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kindsOf, least, plugin, the, usual } from './manifests.ts';
import { isInstalled, root } from './places.ts';
import { render, valuesFiles } from './render.ts';

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
