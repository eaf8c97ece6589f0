/**
 * Answers `--help` with the usage of a command, and ends it. A command without arguments refuses any with exit code 2,
 * so that a misspelt option does not start work for minutes.
 */
export function answerHelp(usage: string, { takesWords = false } = {}): void {
  const words = process.argv.slice(2);
  const isAsked = words.includes('--help') || words.includes('-h');
  if (!isAsked && (takesWords || words.length === 0)) return;
  (isAsked ? process.stdout : process.stderr).write(usage);
  process.exit(isAsked ? 0 : 2);
}
