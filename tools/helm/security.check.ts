import { describe, expect, test } from 'vitest';
import { kindsOf, nodeOf, read, the, usual } from './manifests.ts';
import { isInstalled } from './places.ts';
import { podOf, render, template, valuesFiles } from './render.ts';
import type { Manifest } from './schemas.ts';
import { secretSettings } from './values-schema.ts';

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

  test('run as the account of the image, and write where it may', () => {
    const image = read('Containerfile');
    expect(image).toContain('USER 1000:1000');
    const [{ volumeMounts }] = nodeOf(render(usual)).containers;
    const written = volumeMounts.filter((one: { readOnly?: boolean }) => one.readOnly !== true);
    expect(written.map((one: { mountPath: string }) => one.mountPath)).toEqual(['/data', '/tmp']);
  });
});
