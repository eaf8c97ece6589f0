import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { fileURLToPath } from 'node:url';

/** The version that carries the document with which the tests compare. */
const version = 'v0.203.0';
const folder = fileURLToPath(new URL(`../../../../build/stripe-mock-${version}`, import.meta.url));
const program = `${folder}/stripe-mock`;

/**
 * Builds stripe-mock, Stripe's own server of its document, into `build/` where it is not there yet. Undefined where Go
 * is absent or the module cannot be fetched.
 */
export function builtStripeMock(): string | undefined {
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  try {
    const env = { ...process.env, GOBIN: folder };
    execFileSync('go', ['install', `github.com/stripe/stripe-mock@${version}`], {
      env,
      stdio: 'ignore',
      timeout: 300_000,
    });
    return program;
  } catch {
    return undefined;
  }
}

/** Starts stripe-mock behind a proxy that notes each request with its answer's status. */
export async function startStripeMock(file: string) {
  const port = await freePort();
  const mock = spawn(file, ['-http-addr', `127.0.0.1:${port}`], { stdio: 'ignore' });
  await listening(mock, port);
  const answered: string[] = [];
  const proxy = createServer((incoming, response) => {
    const { method, url: path = '/', headers } = incoming;
    const outgoing = send({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      answered.push(`${method} ${path.split('?')[0]} ${answer.statusCode}`);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    answered,
    close: async (): Promise<void> => {
      proxy.closeAllConnections();
      await new Promise((closed) => proxy.close(closed));
      mock.kill();
    },
  };
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((found) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => found(port));
    });
  });
}

/** It says nothing when it is ready. */
async function listening(mock: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (mock.exitCode !== null) throw new Error(`stripe-mock ended with ${mock.exitCode}.`);
    const isOpen = await new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true)).once('error', () => done(false));
      socket.once('connect', () => socket.end());
    });
    if (isOpen) return;
    await new Promise((later) => setTimeout(later, 50));
  }
}
