import { parseArgs } from 'node:util';
import { checkArchitecture, checkSizes, checkStart } from './packaging/container/check-image.ts';
import { debianRoot } from './packaging/container/debian-root.ts';
import { baseFrom, buildImage, findEngine, removeUnnamed, useOwnStorage } from './packaging/container/engine.ts';
import { layOutImage } from './packaging/container/image-files.ts';
import { type Architecture, architectures, built, type Variant, variants } from './packaging/container/places.ts';
import { layOutPackage } from './packaging/package-files.ts';
import { answerHelp } from './usage.ts';

/** `npm run container`: builds the image of the Containerfile; `--check` builds and tries all of its variants. */
answerHelp(
  `Usage: npm run container -- [--base IMAGE] [--architecture amd64|arm64] [--small] [--tag NAME] | --check

Builds Florin as an image, with buildah, podman or docker.

  --base IMAGE      what it is built on, such as debian:bookworm-slim; without it, buildah makes a base from packages of
                    this machine's Debian
  --architecture A  amd64 (default) or arm64
  --small           without the embedded PostgreSQL
  --tag NAME        default: localhost/florin:latest, or localhost/florin:small
  --check           builds every variant for every architecture into build/container, checks their sizes, and starts the
                    one for this machine: as an unprivileged account, read only, with a payment. Needs buildah, and root

Exit code 0: built, or checked. 1: failed. 2: wrong arguments. See docs/guides/containers.md.
`,
  { takesWords: true },
);

const engine = findEngine();
const given = read();
if (engine === undefined || (given.check && (engine !== 'buildah' || process.geteuid?.() !== 0))) {
  console.log('Left out: this machine has no buildah, podman or docker, or this account may not use it.');
  console.log('0 passed, 0 failed, 1 skipped');
} else if (given.check) await check(engine);
else {
  const variant = given.small ? 'small' : 'whole';
  const tag = given.tag ?? `localhost/florin:${given.small ? 'small' : 'latest'}`;
  build({ variant, architecture: given.architecture, tag }, given.base);
}

function read() {
  try {
    const options = {
      base: { type: 'string' },
      architecture: { type: 'string', default: 'amd64' },
      small: { type: 'boolean', default: false },
      tag: { type: 'string' },
      check: { type: 'boolean', default: false },
    } as const;
    const { values } = parseArgs({ options });
    const architecture = architectures.find((one) => one === values.architecture);
    if (architecture === undefined) throw new Error(`--architecture takes ${architectures.join(' or ')}.`);
    return { ...values, architecture };
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

interface Wanted {
  architecture: Architecture;
  variant: Variant;
  tag: string;
}

function build(wanted: Wanted, base: string | undefined): void {
  layOutPackage();
  layOutImage(wanted.architecture);
  const { architecture } = wanted;
  buildImage(engine as string, { ...wanted, base: base ?? baseFrom(debianRoot(architecture), architecture) });
  console.log(`Built ${wanted.tag}`);
}

async function check(buildah: string): Promise<void> {
  useOwnStorage(built('storage'));
  layOutPackage();
  let failed = 0;
  const images = architectures.flatMap((architecture) => variants.map((variant) => ({ architecture, variant })));
  for (const architecture of architectures) layOutImage(architecture);
  for (const { architecture, variant } of images) {
    const tag = `localhost/florin-check:${architecture}-${variant}`;
    try {
      buildImage(buildah, { architecture, variant, tag, base: baseFrom(debianRoot(architecture), architecture) });
      checkArchitecture(tag, architecture);
      const sizes = checkSizes(tag, variant);
      const isRun = architecture === 'amd64' && process.arch === 'x64' && variant === 'whole';
      console.log(`${architecture} ${variant}: ${sizes}; ${isRun ? await checkStart(tag) : 'not started'}`);
    } catch (error) {
      failed++;
      console.log(`FAIL ${architecture} ${variant}: ${(error as Error).message}`);
    }
  }
  removeUnnamed();
  console.log(`${images.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
