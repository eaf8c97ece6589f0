/**
 * Builds the console if its sources have changed. The script is plain JavaScript, because it runs before an
 * installation.
 */
export const { buildConsole } = (await import(
  new URL('../../tools/packaging/build-console.mjs', import.meta.url).href
)) as {
  buildConsole: () => void;
};
