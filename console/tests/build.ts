/** Builds the console, unless it is built from the present sources. Plain JavaScript, because it runs before an installation. */
export const { buildConsole } = (await import(
  new URL('../../tools/packaging/build-console.mjs', import.meta.url).href
)) as {
  buildConsole: () => void;
};
