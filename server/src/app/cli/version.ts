import manifest from '../../../package.json' with { type: 'json' };

/** The version of this release, as the reference page shows it. */
export const version: string = manifest.version;
