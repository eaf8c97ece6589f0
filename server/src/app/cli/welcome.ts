import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Florin } from '../florin.ts';

/**
 * The text printed after the start: the address, the administrator, and shell commands for a first payment. Of
 * passwords it shows only a generated one, at the start that generated it: what is printed ends up in the journal of
 * the machine.
 */
export function welcome(florin: Florin): string {
  return florin.settings['app.security.profile'] === 'strict' ? strictWelcome(florin) : usualWelcome(florin);
}

/** In the strict profile nobody has a password that a command could use. */
function strictWelcome({ address, administrator: { account, invitation, invitationFile } }: Florin): string {
  const shown =
    invitation === undefined
      ? 'as chosen with the invitation'
      : `chosen within a day at ${invitation} (kept in ${invitationFile})`;
  return `
Florin is ready at ${address}, with app.security.profile=strict

  Console        ${address}/
  Reference      ${address}/docs
  Administrator  ${account}
  Password       ${shown}
`;
}

function usualWelcome({ address, administrator, settings }: Florin): string {
  const passwordFile = resolve(join(settings['app.data-dir'], 'admin-password'));
  const kept = existsSync(passwordFile);
  const shown =
    administrator.password !== undefined
      ? `${administrator.password} (kept in ${passwordFile})`
      : kept
        ? `in ${passwordFile}, unless it was changed since`
        : 'as it was given at first start, unless it was changed since';
  const [where, password] = kept
    ? ['', `$(cat ${inQuotes(passwordFile)})`]
    : [
        ' (with the password in APP_ADMIN_PASSWORD)',
        String.raw`$(printf %s "$APP_ADMIN_PASSWORD" | sed 's/[\\"]/\\&/g')`,
      ];
  return `
Florin is ready at ${address}

  Console        ${address}/
  Reference      ${address}/docs
  Administrator  ${administrator.account}
  Password       ${shown}

A first payment${where}, to paste into a shell:

${firstPayment(address, administrator.account, `'"${password}"'`)}
`;
}

/** Quotes a path for a shell: it may contain spaces and quotes. */
function inQuotes(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Escapes text for a JSON string inside a single-quoted shell argument. */
function shellQuoted(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll("'", `'\\''`);
}

function firstPayment(address: string, account: string, password: string): string {
  return `FLORIN=${address}
JSON='Content-Type: application/json'
ACCESS_TOKEN=$(curl -s $FLORIN/api/user/login -H "$JSON" \\
  -d '{"account":"${shellQuoted(account)}","password":"${password}"}' | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')
AS_ADMIN="Authorization: Bearer $ACCESS_TOKEN"

curl -s $FLORIN/api/channel/list -H "$AS_ADMIN" | grep -q '"code":"bank"' ||
  curl -s $FLORIN/api/channel/modify -H "$AS_ADMIN" -H "$JSON" \\
    -d '{"name":"Bank transfer","code":"bank","type":"OFFLINE","currency":"USD,EUR","country":"US","state":true}'
BANK=$(curl -s $FLORIN/api/channel/list -H "$AS_ADMIN" |
  sed 's/.*"id":\\([0-9]*\\),"name":"[^"]*","code":"bank".*/\\1/')

curl -s $FLORIN/api/transaction/create -H "$AS_ADMIN" -H "$JSON" \\
  -d '{"amount":1999,"currency":"USD","channelId":'$BANK',"description":"My first payment"}'
`;
}
