import { copyFile, mkdir } from 'node:fs/promises';
import { built, type Generator, run, source, type Toolchain } from './generator.ts';

const folder = built('go');
const files = ['go.mod', 'go.sum', 'main.go', 'oapi-codegen.yaml'];

const oapiCodegen: Generator = {
  name: 'oapi-codegen',
  check: async ({ document, payAt }) => {
    await mkdir(built('go', 'florin'), { recursive: true });
    await run('go', ['tool', 'oapi-codegen', '-config', 'oapi-codegen.yaml', document], { cwd: folder });
    await run('go', ['build', '-o', 'pay', '.'], { cwd: folder });
    return run(built('go', 'pay'), payAt);
  },
};

export const goToolchain: Toolchain = {
  name: 'Go',
  programs: ['go'],
  install: async () => {
    await mkdir(folder, { recursive: true });
    await Promise.all(files.map((file) => copyFile(source('go', file), built('go', file))));
    await run('go', ['mod', 'download'], { cwd: folder });
  },
  generators: [oapiCodegen],
};
