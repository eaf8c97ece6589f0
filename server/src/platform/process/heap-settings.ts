import { setFlagsFromString } from 'node:v8';

/**
 * Imported first by the program, before V8 optimizes anything.
 *
 * V8 allocates objects directly in the old generation if most of those made at the same place in the code have survived a
 * collection once, as objects of requests in progress do. There they stay, with everything to which they refer, until the
 * next full collection: under load every five seconds, 40 to 60 ms of marking each, in which requests wait
 * (docs/decisions/0073).
 */
setFlagsFromString('--no-allocation-site-pretenuring');
