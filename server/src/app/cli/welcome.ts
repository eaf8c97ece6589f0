import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { printableJson } from '../../../../sdk/src/printable.ts';
import type { Florin } from '../florin.ts';

/** What is told when the service is ready. */
export interface Welcome {
  address: string;
  administrator: string;
  /** A generated password, at the start that generated it. */
  password?: string | undefined;
  /** Where a generated password is kept, from the folder in which the service was started. */
  passwordFile?: string | undefined;
  /** In the strict profile nobody has a password: the link with which the administrator chooses one. */
  invitation?: string | undefined;
  invitationFile?: string | undefined;
  isStrict: boolean;
  dataDir: string;
  /** This start created the administrator, and a test payment can be made. */
  isFirst: boolean;
}

export function welcomeOf({ address, administrator, settings }: Florin): Welcome {
  const { account, created, password, invitation, invitationFile } = administrator;
  const passwordFile = join(settings['app.data-dir'], 'admin-password');
  const isStrict = settings['app.security.profile'] === 'strict';
  return {
    address,
    administrator: account,
    password,
    passwordFile: existsSync(passwordFile) ? shortest(passwordFile) : undefined,
    invitation,
    invitationFile,
    isStrict,
    dataDir: shortest(settings['app.data-dir']),
    isFirst: created && !isStrict && settings['app.sandbox.enabled'] === 'true',
  };
}

/** From the present folder, or absolute if the file is elsewhere. */
function shortest(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? resolve(path) : fromHere || '.';
}

/** One line of JSON for programs. Without passwords and links, because what is printed ends up in a journal. */
export function welcomeLine({ address, administrator, passwordFile, invitationFile }: Welcome): string {
  const facts = { console: `${address}/`, documentation: `${address}/docs`, administrator };
  return `${printableJson({ msg: 'Florin is ready', address, ...facts, passwordFile, invitationFile })}\n`;
}

/** The same for a person in a terminal, with a first payment at the first start. */
export function welcomeText(welcome: Welcome): string {
  const { address, administrator, dataDir, isFirst } = welcome;
  return `
Florin is ready at ${address}
  Console        ${address}/
  Documentation  ${address}/docs
  Administrator  ${administrator}, ${passwordIn(welcome)}
  Ctrl-C stops it; the data stays in ${dataDir}

${isFirst ? firstPayment(welcome) : ''}`;
}

function passwordIn({ password, passwordFile, invitation, invitationFile, isStrict }: Welcome): string {
  if (invitation !== undefined)
    return `password to be chosen within a day at ${invitation} (kept in ${invitationFile})`;
  if (isStrict) return 'password as chosen with the invitation';
  if (password !== undefined) return `password ${password} (kept in ${passwordFile})`;
  return passwordFile === undefined
    ? 'password as it was given at the first start, unless it was changed since'
    : `password in ${passwordFile}, unless it was changed since`;
}

const usualAddress = 'http://127.0.0.1:8080';

/** Commands that are pasted into a shell. */
function firstPayment({ address, administrator, passwordFile }: Welcome): string {
  const florin = 'npx --no-install florin';
  const url = address === usualAddress ? '' : ` --url ${address}`;
  const password = passwordFile === undefined ? '' : ` < ${quoted(passwordFile)}`;
  return `A first test payment, in a second terminal in the same folder:

  ${florin} login --account ${quoted(administrator)}${url}${password}
  ${florin} trigger transaction.succeeded --override amount=1999
  ${florin} payments list

`;
}

/** Quotes a word for a shell if needed: a path may contain spaces and quotes. */
function quoted(word: string): string {
  return /^[\w./@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
