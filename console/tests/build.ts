/**
 * Builds the console if its sources have changed. The script is plain JavaScript, because it runs before an
 * installation.
 */
const { builtConsole } = (await import(new URL('../../tools/packaging/build-console.mjs', import.meta.url).href)) as {
  builtConsole: { build: () => boolean };
};

export const buildConsole = () => builtConsole.build();
