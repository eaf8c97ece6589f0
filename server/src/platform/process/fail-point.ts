/**
 * Ends this process, as kill -9 does, where a drill wants it to: at the n-th time that the named point is reached. It is how
 * tests prove that a crash between any two steps of a payment charges nobody twice. Without a drill it is a call of nothing.
 */
export type FailPoint = (name: string) => void;

export const noFailPoint: FailPoint = () => {};

/** `begun` or `begun:3`: where, and at which time. */
export function failPointAt(drill: string): FailPoint {
  const [wanted, times = '1'] = drill.split(':');
  let left = Number(times);
  return (name) => {
    if (name === wanted && --left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
