import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Florin } from './florin.ts';

/** What a person sees after the start: where it is, who may sign in, and a first payment to paste. */
export function welcome({ address, administrator, settings }: Florin): string {
  const passwordFile = resolve(join(settings['app.data-dir'], 'admin-password'));
  const kept = existsSync(passwordFile);
  const given = settings['app.admin.password'];
  const password = administrator.password ?? given ?? (kept ? undefined : '…');
  const shown =
    administrator.password !== undefined
      ? `${administrator.password} (kept in ${passwordFile})`
      : kept
        ? `in ${passwordFile}, unless it was changed since`
        : 'as it was given at first start, unless it was changed since';
  return `
Florin is ready at ${address}

  Reference      ${address}/docs
  Administrator  ${administrator.account}
  Password       ${shown}

A first payment, to paste into a shell:

${firstPayment(address, administrator.account, password === undefined ? `'"$(cat ${inQuotes(passwordFile)})"'` : shellQuoted(password))}
`;
}

/** A path may hold spaces and quotes. */
function inQuotes(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** The text inside a single-quoted JSON string of a shell command. */
function shellQuoted(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll("'", `'\\''`);
}

function firstPayment(address: string, account: string, password: string): string {
  return `TOKEN=$(curl -s ${address}/api/user/login -H 'Content-Type: application/json' \\
  -d '{"account":"${shellQuoted(account)}","password":"${password}"}' | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')

CHANNEL=$(curl -s ${address}/api/channel/modify -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"name":"Bank transfer","code":"bank-'$(date +%s)'","type":"OFFLINE","currency":"USD,EUR","country":"US","state":true}' \\
  | sed 's/.*"id":\\([0-9]*\\).*/\\1/')

curl -s ${address}/api/transaction/create -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"amount":1999,"currency":"USD","channelId":'$CHANNEL',"description":"My first payment"}'
`;
}
