import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from './packed.ts';

/** The frameworks that have a page in `docs/guides/frameworks`, each with a shop. */
export const frameworks = ['express', 'fastify', 'hono', 'next'] as const;

/**
 * Writes the programs of the pages, as they are printed, into a project, each shop into a folder named by its page.
 * Returns the paths of the programs.
 */
export async function writeShops(folder: string): Promise<string[]> {
  const written = [];
  for (const page of ['setup', ...frameworks]) {
    const text = await readFile(join(root, `docs/guides/frameworks/${page}.md`), 'utf8');
    for (const [, path = '', program = ''] of text.matchAll(/^\*\*`(.+)`\*\*\n\n```ts\n([\s\S]*?)^```$/gm)) {
      const file = join('shops', page, path);
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), program.replaceAll(/'@\/(.+)'/g, `'${join(folder, 'shops', page)}/$1.ts'`));
      written.push(file);
    }
  }
  await writeFile(join(folder, 'shops', 'start.ts'), start);
  return written;
}

/** Runs `setup.ts` for each shop, starts it with what that has printed, and prints the addresses of all. */
const start = `import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const addresses: Record<string, string> = {};
const { log } = console;
for (const name of ${JSON.stringify(frameworks)}) {
  const port = await freePort();
  addresses[name] = \`http://127.0.0.1:\${port}\`;
  process.env.SHOP_WEBHOOKS = \`\${addresses[name]}/webhooks\`;
  console.log = (line: string) => {
    process.env[line.split('=', 1)[0] as string] = line.replace(/^\\w+=/, '');
  };
  await import(\`./setup/setup.ts?\${name}\`);
  process.env.PORT = String(port);
  if (name === 'next') await startNext(port);
  else await import(\`./\${name}/shop.ts\`);
  await listens(port);
}
log(JSON.stringify(addresses));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Not every framework reports when it listens. */
async function listens(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const accepted = await once(socket, 'connect').then(() => true, () => false);
    socket.destroy();
    if (accepted) return;
  }
}

/** Replaces Next.js, which passes web-standard requests to its handlers. */
async function startNext(port: number): Promise<void> {
  const [webhooks, checkout, orders] = await Promise.all([
    import('./next/app/webhooks/route.ts'),
    import('./next/app/checkout/route.ts'),
    import('./next/app/orders/[order]/route.ts'),
  ]);
  const app = new Hono();
  app.post('/webhooks', ({ req }) => webhooks.POST(req.raw));
  app.post('/checkout', ({ req }) => checkout.POST(req.raw));
  app.get('/orders/:order', ({ req }) => orders.GET(req.raw, { params: Promise.resolve(req.param()) }));
  serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
}
`;
