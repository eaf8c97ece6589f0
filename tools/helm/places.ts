import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
export const chart = join(root, 'deploy/helm');
export const source = (path: string) => join(import.meta.dirname, path);
export const built = (...path: string[]) => join(root, 'build/helm', ...path);

export const helm = built('helm');
/** Versions of Kubernetes whose objects are compared: the oldest that the chart accepts, and the newest known one. */
export const kubernetesVersions = ['1.30', '1.37'] as const;
/** Written last. */
export const stamp = built('installed-from.txt');
export const isInstalled = () => existsSync(stamp);
