import type { Command } from 'commander';
import type { AddCommands, Cli } from '../cli.ts';
import { usageFailure } from '../failures.ts';

export const addCompletion: AddCommands = (program, run) => {
  program
    .command('completion')
    .description('print a script that completes commands: source <(florin completion bash)')
    .argument('<shell>', 'bash, zsh or fish')
    .action(
      run(async ({ out }: Cli, shell: string) => {
        const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
        if (script === undefined) throw usageFailure(`There is no script for ${shell}, only for bash, zsh and fish.`);
        out.line(script(program));
      }),
    );
};

/** The commands and options that may follow each command: `payments` → `create get list watch`. */
function wordsAfter(command: Command, path = ''): [string, string[]][] {
  const options = command.options.map(({ long }) => long ?? '').filter(Boolean);
  const names = command.commands.map((inner) => inner.name());
  return [
    [path, [...names, ...options, '--help']],
    ...command.commands.flatMap((inner) => wordsAfter(inner, `${path} ${inner.name()}`.trim())),
  ];
}

const bash = (program: Command) => `_florin() {
  local words=""
  local path="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "\${path%% -*}" in
${wordsAfter(program)
  .map(([path, words]) => `    "${path}") words="${words.join(' ')}" ;;`)
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _florin florin`;

const scripts: Readonly<Record<string, (program: Command) => string>> = {
  bash,
  zsh: (program) => `autoload -U +X bashcompinit && bashcompinit\n${bash(program)}`,
  fish: (program) =>
    wordsAfter(program)
      .map(([path, words]) => {
        const condition =
          path === ''
            ? '__fish_use_subcommand'
            : `string match -q -- '${path}*' (string join ' ' (commandline -poc)[2..])`;
        return `complete -c florin -f -n "${condition}" -a "${words.join(' ')}"`;
      })
      .join('\n'),
};
