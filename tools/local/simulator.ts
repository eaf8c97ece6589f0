import { fileURLToPath } from 'node:url';

/**
 * `npm run simulator -- stripe`: a local payment provider, to try a channel without an account
 * (docs/guides/providers.md).
 */
const simulators = ['stripe', 'mollie'];

const usage = `Usage: npm run simulator -- ${simulators.join(' | ')} [--port number] [--callback-url address]
       [--webhook-secret text]

Simulates a payment provider on the loopback interface; docs/guides/providers.md says how to point Florin to it.
`;

const [name = '', ...options] = process.argv.slice(2);
if (name === '--help' || name === '-h') {
  process.stdout.write(usage);
  process.exit(0);
}
if (!simulators.includes(name)) {
  process.stderr.write(`There is no simulator of ${name || 'nothing'}; name a provider.\n\n${usage}`);
  process.exit(2);
}
const file = new URL(`../../server/tests/support/simulators/${name}.ts`, import.meta.url);
process.argv = [process.argv[0] as string, fileURLToPath(file), ...options];
await import(file.href);
