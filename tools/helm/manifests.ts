import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from './places.ts';
import type { Manifest } from './schemas.ts';

export const read = (path: string) => readFileSync(join(root, path), 'utf8');

export const usual = 'ci/cloudnative-pg.yaml';
export const external = 'ci/external.yaml';
export const least = 'ci/least.yaml';
export const plugin = 'ci/plugin.yaml';

/** The only manifest of a kind, or the one with this name, or whose name ends so. */
export function the(manifests: readonly Manifest[], kind: string, suffix = ''): Manifest {
  const isIt = ({ metadata: { name } }: Manifest) => name === suffix || (suffix[0] !== 'f' && name.endsWith(suffix));
  const found = manifests.filter((one) => one.kind === kind && isIt(one));
  expect(found, `${kind} ${suffix}`).toHaveLength(1);
  return found[0] as Manifest;
}

/** The pod of a node. */
export const nodeOf = (manifests: readonly Manifest[]) => the(manifests, 'Deployment').spec.template.spec;

export const kindsOf = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind);
