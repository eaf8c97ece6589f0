import type { IdentityApp } from '../app.ts';

interface WithPassword {
  id: number;
  password_hash: string | null;
}

/**
 * Compares a password with that of a user, and renews a hash of another Unicode form of it. Takes as long when there is
 * no such user. Returns the user with the hash that is stored now, or undefined if the password is not right.
 * `findAgain` reads the user again when the hash has changed meanwhile.
 */
export async function verifyPassword<User extends WithPassword>(
  found: User | undefined,
  findAgain: () => Promise<User | undefined>,
  password: string,
  caller: string,
  { passwords, renewPasswordHash }: IdentityApp,
): Promise<User | undefined> {
  for (let user = found; ; user = await findAgain()) {
    const oldHash = user?.password_hash ?? undefined;
    const comparison = await passwords.compare(oldHash, password, caller);
    if (user === undefined || oldHash === undefined || comparison === 'different') return undefined;
    if (comparison === 'same') return user;
    const newHash = await passwords.hash(password, caller);
    if (await renewPasswordHash(user.id, oldHash, newHash)) return { ...user, password_hash: newHash };
    // Another login has renewed it just now, or the password was changed.
  }
}
