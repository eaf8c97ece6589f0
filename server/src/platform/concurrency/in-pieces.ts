import { setImmediate as nextTurn } from 'node:timers/promises';

/** A long computation that yields where other work may go on. */
export type Steps<Value> = Generator<void, Value>;

/** Runs a computation without letting other work in between. */
export function inOnePiece<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Runs a computation with a turn of the event loop after each of its steps, so that nothing else waits for all of it.
 */
export async function inPieces<Value>(steps: Steps<Value>): Promise<Value> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}
