// A lock between commands that install into the same folder. Plain JavaScript for Node 20, like install.mjs.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const pauseMs = 200;

/** Runs `work` while no other process holds the lock. */
export function whileLocked(file, work) {
  const release = lock(file);
  try {
    work();
  } finally {
    release();
  }
}

/**
 * Takes the lock, a file with the id of its holder, and returns what releases it; the end of this process does, too.
 * Waits for another holder; what a killed process has left is removed.
 */
export function lock(file) {
  mkdirSync(dirname(file), { recursive: true });
  take(file);
  const remove = () => rmSync(file, { force: true });
  process.once('exit', remove);
  return () => {
    process.off('exit', remove);
    remove();
  };
}

function take(file) {
  let isSaid = false;
  for (;;) {
    const holder = tryTake(file);
    if (holder === undefined) return;
    if (!isHeld(holder)) removeLeft(file, holder);
    else {
      if (!isSaid) process.stderr.write(`Process ${holder} is installing or building here; waiting for it …\n`);
      isSaid = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}

/** Returns the process that holds the lock; undefined: it was free and is taken now. */
function tryTake(file) {
  // Linked, so that the file never exists without its content.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return undefined;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return holderOf(file);
  } finally {
    rmSync(own, { force: true });
  }
}

/** NaN: the lock has just been released. */
function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return Number.NaN;
  }
}

/** Whether the process lives. Where there is /proc, it shows whether the id belongs to another program by now. */
function isHeld(pid) {
  if (Number.isNaN(pid) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(basename(process.argv[1] ?? ''));
  } catch (error) {
    return error.code !== 'ENOENT';
  }
}

/** Two waiting processes may find the same file: the one that moved away a newer lock puts it back. */
function removeLeft(file, holder) {
  const moved = `${file}.left.${process.pid}`;
  try {
    renameSync(file, moved);
    if (holderOf(moved) !== holder && !Number.isNaN(holder)) linkSync(moved, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(moved, { force: true });
  }
}
