import { type Settings, SettingsError } from '../config/settings.ts';

export interface ListenAddress {
  host: string;
  port: number;
  /** Several processes of this node listen on the port, and the kernel spreads connections over them. */
  reusePort: boolean;
}

/** Listens on the configured address. Throws a SettingsError when the address is taken or not available. */
export async function listenAt<Result>(
  settings: Settings,
  reusePort: boolean,
  listen: (address: ListenAddress) => Promise<Result>,
): Promise<Result> {
  const { 'app.server.host': host, 'app.server.port': port } = settings;
  try {
    return await listen({ host, port, reusePort });
  } catch (error) {
    throw listenRefusal((error as NodeJS.ErrnoException).code, host, port) ?? error;
  }
}

/** Explains why an address cannot be listened on; undefined when other settings would not help. */
export function listenRefusal(code: string | undefined, host: string, port: number): SettingsError | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return new SettingsError(`port ${port} on ${host} is taken; set PORT to a free one.`);
    case 'EACCES':
      return new SettingsError(`port ${port} on ${host} needs more rights; set PORT to one above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new SettingsError(`HOST ${host} is not an address of this machine.`);
    default:
      return undefined;
  }
}
