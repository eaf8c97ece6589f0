import type { Part } from './side-by-side.ts';

/** What the compiler has checked before is kept, so that it checks only what depends on a change. */
const typesOf = (project: string, name: string): Part => [
  'tsc',
  '--noEmit',
  ...['-p', project, '--incremental', '--tsBuildInfoFile', `node_modules/.cache/types/${name}.json`],
];

/** The compiler's check of the whole repository. */
export const types: Record<string, Part> = {
  types: typesOf('.', 'repository'),
  'types of the console': typesOf('console', 'console'),
};
