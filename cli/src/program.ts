import { Command, CommanderError } from 'commander';
import { version } from '../../sdk/src/generated/operations.ts';
import { FlorinError } from '../../sdk/src/index.ts';
import { Cli, type GlobalOptions, type Run } from './cli.ts';
import { addAccountCommands } from './commands/account.ts';
import { addCompletion } from './commands/completion.ts';
import { addDisputeCommands } from './commands/disputes.ts';
import { addEventCommands } from './commands/events.ts';
import { addImport } from './commands/import.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addLogs } from './commands/logs.ts';
import { addOpen } from './commands/open.ts';
import { addOperatorCommands, serverPrograms } from './commands/operators.ts';
import { addPaymentCommands } from './commands/payments.ts';
import { addRawCommands } from './commands/raw.ts';
import { addResourceCommands } from './commands/resources.ts';
import { addTrigger } from './commands/trigger.ts';
import { exitCodeOf, exitCodes, lineOf } from './failures.ts';
import type { System } from './system.ts';

/** Runs a command line, without the program's own name, and returns the exit code. */
export async function runProgram(words: readonly string[], system: System): Promise<number> {
  // `florin --json verify` means `florin verify --json`.
  const at = words.findIndex((word) => word !== '--json');
  const [name = 'start', ...others] = at < 0 ? words : [...words.slice(at), ...words.slice(0, at)];
  try {
    const serverProgram = Object.hasOwn(serverPrograms, name) ? serverPrograms[name] : undefined;
    if (serverProgram !== undefined) return (await serverProgram.run(others)) ?? exitCodes.done;
    const program = programFor(system);
    await program.parseAsync([name, ...others], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    return endWith(error, system, words.includes('--json'));
  }
}

function endWith(error: unknown, { stderr, signal }: System, isJson: boolean): number {
  // Commander has printed the help, the version or the mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (signal.aborted && (error === signal.reason || (error as Error)?.name === 'AbortError'))
    return exitCodes.interrupted;
  stderr.write(isJson ? `${jsonOf(error)}\n` : `florin: ${lineOf(error)}\n`);
  return exitCodeOf(error);
}

function jsonOf(error: unknown): string {
  const { type, status, field, requestId, details } =
    error instanceof FlorinError ? error : ({} as Partial<FlorinError>);
  return JSON.stringify({
    error: { type: type ?? 'command_failed', message: lineOf(error), status, field, requestId, details },
  });
}

/** The commands and their options. */
export function programFor(system: System): Command {
  const { stdout, stderr, isTerminal } = system;
  const program = new Command('florin')
    .description('Take payments with Florin, and run it. Without a command it starts the service in this folder.')
    .version(version, '-v, --version')
    .option('--url <url>', 'the address of the service (FLORIN_URL)')
    .option('--api-key <key>', 'a developer key instead of the stored login (FLORIN_API_KEY)')
    .option('--live', 'live records instead of test records')
    .option('--json', 'print JSON: one document, or one line for each row')
    .showHelpAfterError('florin --help lists the commands.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text.replace(/^error: /, 'florin: ')),
      getOutHasColors: () => isTerminal,
    });
  const run: Run =
    (action) =>
    async (...given) => {
      const command = given.at(-1) as unknown as Command;
      await action(new Cli(system, command.optsWithGlobals<GlobalOptions>()), ...(given.slice(0, -1) as never));
    };
  addLogin(program, run);
  addAccountCommands(program, run);
  addPaymentCommands(program, run);
  addDisputeCommands(program, run);
  addEventCommands(program, run);
  addListen(program, run);
  addLogs(program, run);
  addTrigger(program, run);
  addResourceCommands(program, run);
  addRawCommands(program, run);
  addImport(program, run);
  addOpen(program, run);
  addCompletion(program, run);
  addOperatorCommands(program, run);
  return program;
}
