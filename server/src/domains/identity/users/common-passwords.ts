/**
 * Whether a password is among the 49,000 most frequent ones of published lists of leaked passwords, ignoring case. The
 * lists are loaded at the first call, not at the start, because unpacking them takes about 100 ms and 6 MB.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  commonPasswords ??= load();
  return (await commonPasswords).has(password.toLowerCase());
}

let commonPasswords: Promise<ReadonlySet<string>> | undefined;

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
