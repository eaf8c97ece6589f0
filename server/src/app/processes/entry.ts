/** The program of a child process. In a bundle it is an entry beside this module (`tools/packaging/bundle.mjs`). */
export const childEntry = new URL('./child.ts', import.meta.url);
