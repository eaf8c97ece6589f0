import { text } from 'node:stream/consumers';
import type { AddCommands, Cli } from '../cli.ts';
import { CommandFailure } from '../failures.ts';

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
  program
    .command('migrate')
    .description('bring the database to the schema of this version, without starting the service')
    .addHelpText('after', `\n${settings}`)
    .action(run(migrate));
  program
    .command('doctor')
    .description('look at what the service needs; exit code 1 if something is wrong')
    .addHelpText('after', `\n${settings}`)
    .action(run(doctor));
  program
    .command('create-admin')
    .description('create a platform administrator in the database, when nobody can log in')
    .argument('<account>', 'user name, or e-mail address')
    .option('--password-stdin', 'read the password from standard input; a random one is made and printed otherwise')
    .addHelpText('after', `\n${settings}`)
    .action(run(createAdmin));
};

async function migrate({ out, signal }: Cli): Promise<void> {
  const { migrateNow } = await import('../../../server/src/app/commands/migrate.ts');
  await migrateNow((line) => (out.isJson ? out.record({ line }) : out.say(line)), signal);
}

async function doctor({ out }: Cli): Promise<void> {
  const { diagnose } = await import('../../../server/src/app/commands/doctor.ts');
  const problems = await diagnose((diagnosis) => out.row(diagnosis, ['state', 'subject', 'finding']));
  if (problems > 0) throw new CommandFailure(`Problems: ${problems}.`);
}

async function createAdmin(
  { out, surroundings }: Cli,
  account: string,
  options: { passwordStdin?: boolean },
): Promise<void> {
  const { createAdministrator } = await import('../../../server/src/app/commands/create-admin.ts');
  const given = options.passwordStdin === true ? (await text(surroundings.stdin)).replace(/\r?\n$/, '') : undefined;
  const password = await createAdministrator(account, given);
  if (out.isJson) out.record({ account, password: given === undefined ? password : null });
  else out.say(given === undefined ? `Created ${account} with the password ${password}` : `Created ${account}.`);
}

/** They read the arguments of the process, print for themselves, and set its exit code. */
async function runServerProgram(name: keyof typeof programs, words: readonly string[] = []): Promise<void> {
  process.argv = [process.argv[0] as string, name, ...words];
  await programs[name]();
}
