/**
 * Builds the documentation if its sources have changed. The script is plain JavaScript, because it runs before an
 * installation.
 */
const { builtDocs } = (await import(new URL('../../../tools/packaging/build-docs.mjs', import.meta.url).href)) as {
  builtDocs: { build: () => boolean };
};

export const buildDocs = () => builtDocs.build();
