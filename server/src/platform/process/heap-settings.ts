import { executionAsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';

/** Imported first by the program, before V8 optimizes anything. */

/**
 * V8 allocates objects directly in the old generation if most of those made at the same place in the code have survived
 * a collection once, as objects of requests in progress do. There they stay, with everything to which they refer, until
 * the next full collection: under load every five seconds, 40 to 60 ms of marking each, in which requests wait
 * (bench/notes/disk.md).
 */
setFlagsFromString('--no-allocation-site-pretenuring');

/**
 * A full collection discards the hidden classes that no object has, and with them the optimized code made for such
 * objects. A process that rests has no requests and no queries: after eight seconds it lost 179 functions, which the
 * next requests ran slowly until they had been compiled again (bench/notes/creates.md). With the first flag V8 keeps
 * such classes for so many collections; with the second also in those of a process that rests.
 */
setFlagsFromString('--retain-maps-for-n-gc=1000000000');
setFlagsFromString('--no-memory-reducer-favors-memory');

/**
 * Keeps the hidden class of the object that Node.js makes for each `process.nextTick`, some six for each request.
 * Classes that optimized code does not use yet are discarded in spite of the flags. If that happens to this one, V8
 * takes the next one for a second class, never optimizes the place again, and each call takes 0.7 µs instead of 0.1 for
 * as long as the process lives. An array, because the bundler removes variables that nothing reads.
 */
const ticks: object[] = [];
process.nextTick(() => ticks.push(executionAsyncResource()));
