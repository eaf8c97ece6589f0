import { fileURLToPath } from 'node:url';

/** `npm run simulator -- stripe`: a payment provider on the loopback, to try a channel without an account (docs/providers.md). */
const simulators = ['stripe', 'mollie'];

const [name = '', ...options] = process.argv.slice(2);
if (!simulators.includes(name)) {
  console.error(`Say which provider: npm run simulator -- ${simulators.join(' | ')} [--port number]`);
  process.exit(2);
}
const file = new URL(`../server/src/testing/simulators/${name}.ts`, import.meta.url);
process.argv = [process.argv[0] as string, fileURLToPath(file), ...options];
await import(file.href);
