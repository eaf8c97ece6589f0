/**
 * Ends this process as kill -9 does, at the n-th time the named point is reached. Fault tests use it to prove that a
 * crash between any two steps of a payment charges nobody twice. In production it does nothing.
 */
export type FailPoint = (name: string) => void;

export const noFailPoint: FailPoint = () => {};

/** `setting` is `name` or `name:n`, such as `begun:3`. */
export function failPointAt(setting: string): FailPoint {
  const [wanted, times = '1'] = setting.split(':');
  let left = Number(times);
  return (name) => {
    if (name === wanted && --left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
