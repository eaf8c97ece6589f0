import { expect, test } from 'vitest';

interface Machine {
  platform: string;
  version: string;
  hasBundledNode?: boolean;
}

// By a computed path, because TypeScript does not read plain JavaScript here.
const { runtimeRefusal } = (await import(new URL('../packaging/runtime.mjs', import.meta.url).href)) as {
  runtimeRefusal: (machine: Machine) => string | undefined;
};

test.each<[Machine, RegExp | undefined]>([
  [{ platform: 'linux', version: 'v20.3.0' }, undefined],
  [{ platform: 'linux', version: 'v18.19.0' }, /Node\.js 20 or newer.*v18\.19\.0.*nodejs\.org/],
  [{ platform: 'linux', version: 'v20.3.0', hasBundledNode: true }, undefined],
  [{ platform: 'linux', version: 'v20.3.0', hasBundledNode: false }, /Node\.js 24 or newer/],
  [{ platform: 'darwin', version: 'v22.1.0' }, /Node\.js 24 or newer.*brew install node@24/],
  [{ platform: 'darwin', version: 'v24.0.0' }, undefined],
  [{ platform: 'win32', version: 'v24.0.0' }, /wsl --install.*container/],
])('a start on %o says how to get there if Florin does not run', (machine, said) => {
  if (said === undefined) expect(runtimeRefusal(machine)).toBeUndefined();
  else expect(runtimeRefusal(machine)).toMatch(said);
});
