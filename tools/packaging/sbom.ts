import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '../usage.ts';

/**
 * Writes the bill of materials of what `npm start` installs: `build/sbom.cdx.json`, in CycloneDX, made by npm from the
 * lock file without any network. Fails when a package has no checksum, or a licence that is not on the list.
 */
answerHelp(`Usage: npm run sbom

Writes build/sbom.cdx.json, the bill of materials of what npm start installs, in CycloneDX, without any network. Exit
code 1: a package has no checksum, or a licence that is not on the list in tools/packaging/sbom.ts.
`);

const root = fileURLToPath(new URL('../../', import.meta.url));
const file = join(root, 'build', 'sbom.cdx.json');
/** Permissive licences: they require only that their text is kept. */
const licenses = [
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Bitstream-Vera',
  // Public domain.
  'Unlicense',
  '(MIT OR CC0-1.0)',
];
/** Packages whose lock entry has no licence, with what their own files say. */
const statedElsewhere: Record<string, string> = {
  'dejavu-fonts-ttf@2.37.3': 'Bitstream-Vera', // LICENSE: Bitstream Vera and Arev, as MIT for fonts
  'png-js@2.0.0': 'MIT', // LICENSE
};

interface Bill {
  metadata: { component: { name: string } };
  components: Component[];
  dependencies: Dependency[];
}

interface Dependency {
  ref: string;
  dependsOn: string[];
}

interface Component {
  type?: string;
  'bom-ref': string;
  /** The scope of the package, if npm writes it apart. */
  group?: string;
  name: string;
  version: string;
  purl?: string;
  hashes?: unknown[];
  licenses?: { license?: { id?: string }; expression?: string }[];
}

/** Packages that build the console and are not part of the result. */
const isTool = (ref: string) => /^(vite|@vitejs\/|@types\/)/.test(ref);

/** Packages of `tools/docs-site` whose code is in the built pages. */
const inPages = [
  'vitepress',
  'vue',
  '@vue/runtime-core',
  '@vue/runtime-dom',
  '@vue/reactivity',
  '@vue/shared',
  '@vueuse/core',
  '@vueuse/shared',
  '@vueuse/integrations',
  'focus-trap',
  'tabbable',
  'mark.js',
  'minisearch',
];

const bill = billOf(root, '--omit=dev');
addConsole(billOf(root, '--workspace=@florin/console'));
addDocs(billOf(join(root, 'tools', 'docs-site')));
bill.metadata.component.name = 'florin'; // npm writes the name of the folder.
const packages = bill.components.filter(
  ({ name }) => !['embedded-postgres', 'server', 'sdk', 'cli', 'console'].includes(name),
); // The workspaces themselves.
const complaints = packages.flatMap(complaintsAbout);
for (const complaint of complaints) console.error(complaint);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
console.log(`sbom: ${packages.length} packages, ${complaints.length} complaints, in build/sbom.cdx.json`);
process.exitCode = complaints.length === 0 ? 0 : 1;

function complaintsAbout({ name, version, hashes = [], licenses: stated = [] }: Component): string[] {
  const found = stated.map(({ license, expression }) => license?.id ?? expression ?? 'an unnamed licence');
  if (found.length === 0) found.push(statedElsewhere[`${name}@${version}`] ?? 'no licence');
  return [
    ...(hashes.length === 0 ? [`${name}@${version} has no checksum in package-lock.json.`] : []),
    ...found
      .filter((id) => !licenses.includes(id))
      .map((id) => `${name}@${version} has ${id}; see tools/packaging/sbom.ts.`),
  ];
}

function billOf(folder: string, ...choice: string[]): Bill {
  const words = ['sbom', '--package-lock-only', ...choice, '--sbom-format=cyclonedx', '--sbom-type=application'];
  const { status, stdout, stderr } = spawnSync('npm', words, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  return JSON.parse(stdout) as Bill;
}

/**
 * The packages that are built into the console. They are dev dependencies, because an installation has only the built
 * files.
 */
function addConsole({ components, dependencies }: Bill): void {
  const dependsOn = new Map(dependencies.map((dependency) => [dependency.ref, dependency]));
  const workspace = dependencies.find(({ ref }) => ref.startsWith('@florin/console@'));
  const built = new Set(workspace?.dependsOn.filter((ref) => !isTool(ref)));
  for (const ref of built) {
    for (const needed of dependsOn.get(ref)?.dependsOn ?? []) if (!isTool(needed)) built.add(needed);
  }
  if (built.size === 0) throw new Error('The packages of the console were not found.');
  const known = new Set(bill.components.map((component) => component['bom-ref']));
  bill.components.push(...components.filter(({ 'bom-ref': ref }) => built.has(ref) && !known.has(ref)));
  const listed = new Set(bill.dependencies.map(({ ref }) => ref));
  bill.dependencies.push(...dependencies.filter(({ ref }) => built.has(ref) && !listed.has(ref)));
}

/** The packages that are built into the documentation, and Scalar, whose one file is beside the pages. */
function addDocs({ components }: Bill): void {
  const used = components.filter(({ name, group }) => inPages.includes([group, name].filter(Boolean).join('/')));
  if (used.length !== inPages.length) throw new Error('A package of the documentation was not found.');
  bill.components.push(...used, scalar());
}

function scalar(): Component {
  const file = join(root, 'tools', 'docs-site', 'scalar.json');
  const { name, version, license, integrity } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  const content = Buffer.from(integrity?.replace('sha512-', '') ?? '', 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': `${name}@${version}`,
    name: name as string,
    version: version as string,
    purl: `pkg:npm/${name?.replace('@', '%40')}@${version}`,
    hashes: [{ alg: 'SHA-512', content }],
    licenses: [{ license: { id: license as string } }],
  };
}
