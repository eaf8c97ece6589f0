import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventLoop } from './event-loop.ts';

let nowMs = 0;
const eventLoop = new EventLoop(() => nowMs);

/** The event loop turns now, after so many milliseconds. */
function turnAfter(ms: number): void {
  nowMs += ms;
  vi.advanceTimersByTime(10);
}

beforeEach(() => {
  vi.useFakeTimers();
  eventLoop.start();
});

afterEach(() => {
  eventLoop.stop();
  vi.useRealTimers();
});

test('a loop that turns quickly delays no answer', () => {
  for (let i = 0; i < 5; i++) turnAfter(10);
  nowMs += 9;
  expect(eventLoop.ownDelayMs).toBe(0);
});

test('an answer may have lain unread since the turn before', () => {
  turnAfter(10);
  turnAfter(10);
  turnAfter(150);
  nowMs += 5;
  // The poll of the turn that took 150 ms came at its beginning: the answer was not there yet.
  expect(eventLoop.ownDelayMs).toBe(150 + 5 - 2 * 10);
});

test('a long turn counts no longer once the loop has turned quickly again', () => {
  turnAfter(150);
  turnAfter(10);
  turnAfter(10);
  expect(eventLoop.ownDelayMs).toBe(0);
});

test('nothing counts while it is not watched', () => {
  turnAfter(150);
  eventLoop.stop();
  expect(eventLoop.ownDelayMs).toBe(0);
});
