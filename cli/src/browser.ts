import { spawn } from 'node:child_process';
import type { Surroundings } from './surroundings.ts';

/** Does nothing on machines without a browser: the address is printed in any case. */
export function openInBrowser(address: string, { open = openBySystem }: Pick<Surroundings, 'open'>): void {
  open(address);
}

function openBySystem(address: string): void {
  const [command, ...words] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const child = spawn(command as string, [...words, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
