import { spawn } from 'node:child_process';
import type { System } from './system.ts';

/** Does nothing on machines without a browser. The address is printed in any case. */
export function openInBrowser(address: string, { open = openBySystem }: Pick<System, 'open'>): void {
  open(address);
}

function openBySystem(address: string): void {
  const [command, ...words] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  const child = spawn(command as string, [...words, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
