import { bundle, isBundled } from '../../../../tools/packaging/bundle.mjs';

/**
 * Services that tests start run the bundle, as `npm start` does: it takes a third of the CPU time of a start from the
 * sources.
 */
export default async function setup(): Promise<void> {
  if (!isBundled()) await bundle();
}
