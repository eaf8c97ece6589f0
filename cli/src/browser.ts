import { spawn } from 'node:child_process';
import type { Cli } from './cli.ts';

/**
 * Opens a page of the service. Another address, which a service could name to start a program, is not opened. Does
 * nothing on machines without a browser. The address is printed in any case.
 */
export function openInBrowser(address: string, { url, system, out }: Cli): void {
  const page = URL.parse(address);
  if (page === null || page.origin !== new URL(url).origin) {
    out.note(`Not opened, because it is not a page of ${url}: ${address}`);
    return;
  }
  (system.open ?? openBySystem)(page.href);
}

function openBySystem(address: string): void {
  const [command, words] = openerOn(process.platform, address);
  const child = spawn(command, words, { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

/** The program that opens an address. No shell sees the address: to `cmd /c start`, `&` begins another command. */
export function openerOn(platform: NodeJS.Platform, address: string): [command: string, words: string[]] {
  if (platform === 'darwin') return ['open', [address]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]];
  return ['xdg-open', [address]];
}
