import { text } from 'node:stream/consumers';
import type { AddCommands, Cli } from '../cli.ts';
import { usageFailure } from '../failures.ts';

interface ServerProgram {
  description: string;
  /** Runs it in this process. It parses its own arguments and prints its own output. */
  run: (words: readonly string[]) => Promise<number | undefined>;
}

/** Programs of the server with their own options. Their arguments are passed on unchanged, `--help` too. */
export const serverPrograms: Readonly<Record<string, ServerProgram>> = {
  doctor: {
    description: 'examine this node and its database, and say how to fix what is wrong',
    run: async (words) => (await import('../../../server/src/app/doctor/doctor.ts')).run(words),
  },
  verify: {
    description: 'check the integrity of the whole database; exit code 1 if a check fails',
    run: (words) => runEntry(words, () => import('../../../server/src/app/verify.ts')),
  },
  reseal: {
    description: 'encrypt the stored secrets again with the first encryption key',
    run: (words) => runEntry(words, () => import('../../../server/src/app/reseal.ts')),
  },
  backup: {
    description: 'write a backup that is restored and checked at once',
    run: async (words) => (await import('../../../server/src/app/backup/backup.ts')).run(words),
  },
  restore: {
    description: 'restore a backup into an empty data folder or database',
    run: async (words) => (await import('../../../server/src/app/backup/restore.ts')).run(words),
  },
  rehearse: {
    description: 'try an upgrade on a copy of the database',
    run: async (words) => (await import('../../../server/src/app/backup/rehearse.ts')).run(words),
  },
};

/** For programs that read the arguments of the process and set its exit code. */
async function runEntry(words: readonly string[], load: () => Promise<unknown>): Promise<undefined> {
  process.argv = [process.argv[0] as string, 'florin', ...words];
  await load();
}

export const addOperatorCommands: AddCommands = (program, run) => {
  const settings = 'Settings come from the environment or florin.yaml in this folder: docs/reference/settings.md.';
  program
    .command('start')
    .description('start the service, with its database in ./data; the default command')
    .addHelpText('after', `\n${settings} The most used: PORT, HOST, APP_DATA_DIR, DATABASE_URL, APP_PUBLIC_URL.`)
    .action(run(async () => runEntry([], () => import('../../../server/src/app/main.ts'))));
  program
    .command('migrate')
    .description('migrate the database to the schema of this version, without starting the service')
    .option('--lock-timeout <duration>', 'how long a migration waits for a lock before it pauses', '1s')
    .option('--deadline <duration>', 'the time for all migrations; by default they may take as long as they need')
    .addHelpText('after', `\n${settings}`)
    .action(run(migrate));
  program
    .command('create-admin')
    .description('create a platform administrator in the database, for when nobody can log in')
    .argument('<account>', 'user name, or e-mail address')
    .option(
      '--password-stdin',
      'read the password from standard input; by default a random one is generated and printed',
    )
    .addHelpText('after', `\n${settings}`)
    .action(run(createAdmin));
  program
    .command('remove-second-factor')
    .description('remove the second factor of a user in the database, for when no administrator can')
    .argument('<account>', 'user name, or e-mail address')
    .addHelpText('after', `\n${settings}`)
    .action(run(removeFactor));
  // For the help and the completion. `runProgram` runs these commands before it parses arguments.
  for (const [name, { description }] of Object.entries(serverPrograms)) program.command(name).description(description);
};

async function migrate({ out, signal }: Cli, options: { lockTimeout: string; deadline?: string }): Promise<void> {
  const { migrateNow } = await import('../../../server/src/app/commands/migrate.ts');
  const { durationOfAtLeast } = await import('../../../server/src/platform/settings/kinds.ts');
  // PostgreSQL reads 0 as without a limit.
  const duration = durationOfAtLeast(1, '1 ms');
  const parsed = (name: string, text: string | undefined) => {
    try {
      return text === undefined ? undefined : duration.parse(text);
    } catch (error) {
      throw usageFailure(`${name} ${(error as Error).message}.`);
    }
  };
  await migrateNow((line) => (out.isJson ? out.record({ line }) : out.say(line)), signal, {
    lockTimeoutMs: parsed('--lock-timeout', options.lockTimeout),
    deadlineMs: parsed('--deadline', options.deadline),
  });
}

async function removeFactor({ out }: Cli, account: string): Promise<void> {
  const { removeSecondFactor } = await import('../../../server/src/app/commands/remove-second-factor.ts');
  await removeSecondFactor(account);
  if (out.isJson) out.record({ account });
  else out.say(`${account} now logs in with only the password, and should enrol a second factor at once.`);
}

async function createAdmin({ out, system }: Cli, account: string, options: { passwordStdin?: boolean }): Promise<void> {
  const { createAdministrator } = await import('../../../server/src/app/commands/create-admin.ts');
  const given = options.passwordStdin === true ? (await text(system.stdin)).replace(/\r?\n$/, '') : undefined;
  const created = await createAdministrator(account, given);
  if ('invitation' in created) {
    if (out.isJson) out.record({ account, password: null, invitation: created.invitation });
    else out.say(`Created ${account}. Choose the password within a day at\n${created.invitation}`);
    return;
  }
  const { password } = created;
  if (out.isJson) out.record({ account, password: given === undefined ? password : null });
  else out.say(given === undefined ? `Created ${account} with the password ${password}` : `Created ${account}.`);
}
