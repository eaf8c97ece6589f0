/**
 * Makes the value of a key when it is first used, and keeps it as long as the key. Routes compile their shapes this
 * way: compiling those of all routes took a third of the CPU time of a start, and nodes of one process share them.
 */
export function atFirstUse<Key extends object, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new WeakMap<Key, { value: T }>();
  return (key) => {
    const kept = made.get(key) ?? { value: make(key) };
    made.set(key, kept);
    return kept.value;
  };
}
