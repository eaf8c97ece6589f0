import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');

/** As images name them, and Debian too. */
export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/** As Node.js and npm name them. */
export const nodeNames = { amd64: 'x64', arm64: 'arm64' } as const satisfies Record<Architecture, string>;

/** `whole` has the embedded PostgreSQL; `small` needs a database elsewhere. */
export const variants = ['whole', 'small'] as const;
export type Variant = (typeof variants)[number];

export const built = (path: string) => join(root, 'build/container', path);
