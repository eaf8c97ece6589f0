import { openInBrowser } from '../browser.ts';
import type { AddCommands, Cli } from '../cli.ts';
import { usageFailure } from '../failures.ts';

/** Pages of the service, by name. */
const pages: Readonly<Record<string, string>> = {
  console: '/',
  docs: '/docs',
  api: '/openapi.json',
  payments: '/payments',
  events: '/events',
  webhooks: '/webhooks',
  keys: '/keys',
  device: '/device',
};

export const addOpen: AddCommands = (program, run) => {
  program
    .command('open')
    .description(`open a page of the service in the browser: ${Object.keys(pages).join(', ')}`)
    .argument('[page]', 'the page', 'console')
    .action(run(open));
};

async function open(cli: Cli, page: string): Promise<void> {
  const { url, out, system } = cli;
  const path = Object.hasOwn(pages, page) ? pages[page] : undefined;
  if (path === undefined) throw usageFailure(`There is no page ${page}, only ${Object.keys(pages).join(', ')}.`);
  const address = url.replace(/\/+$/, '') + path;
  if (out.isJson) return out.record({ url: address });
  out.line(address);
  if (system.isTerminal) openInBrowser(address, cli);
}
