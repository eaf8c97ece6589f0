import type { AddCommands, Cli } from '../cli.ts';

/** Programs of the server, run in this process with the words that they take. */
const programs = {
  start: () => import('../../../server/src/app/main.ts'),
  verify: () => import('../../../server/src/app/verify.ts'),
  reseal: () => import('../../../server/src/app/reseal.ts'),
} as const;

export const addOperatorCommands: AddCommands = (program, run) => {
  const settings = 'Settings come from the environment or florin.yaml in this folder: docs/reference/settings.md.';
  program
    .command('start')
    .description('start the service, with its database in ./data; the same without any command')
    .addHelpText('after', `\n${settings} The most used: PORT, HOST, APP_DATA_DIR, DATABASE_URL, APP_PUBLIC_URL.`)
    .action(run(() => runServerProgram('start')));
  program
    .command('verify')
    .description('check the whole database against the claims that must hold; exit code 1 if one is broken')
    .option(
      '--audit-head <TENANT:SEQ:HASH>',
      'a head that an earlier run printed; may be repeated',
      (one, all: string[]) => [...all, one],
      [],
    )
    .addHelpText('after', `\n${settings}`)
    .action(
      run((_cli: Cli, { auditHead }: { auditHead: string[] }) =>
        runServerProgram(
          'verify',
          auditHead.flatMap((head) => ['--audit-head', head]),
        ),
      ),
    );
  program
    .command('reseal')
    .description('seal the stored secrets again with the first encryption key')
    .addHelpText('after', `\n${settings}`)
    .action(run(() => runServerProgram('reseal')));
};

/** They read the arguments of the process, print for themselves, and set its exit code. */
async function runServerProgram(name: keyof typeof programs, words: readonly string[] = []): Promise<void> {
  process.argv = [process.argv[0] as string, name, ...words];
  await programs[name]();
}
