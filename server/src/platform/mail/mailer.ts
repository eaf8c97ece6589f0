import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';

export interface Mail {
  /** One address. */
  to: string;
  subject: string;
  text: string;
  /** The same as an HTML page, for mail programs that show it. */
  html?: string;
  /** The Message-ID. A message that is sent again keeps it, so that mail programs can drop the duplicate. */
  id?: string;
  /** A message that is stored as a file is removed after this time. Default: never. */
  validUntilMs?: number;
}

export interface Mailer {
  /** Whether messages are sent, not only stored as files. */
  hasServer: boolean;
  /** Resolves when the server has accepted the message or the file is written; rejects otherwise. */
  send: (mail: Mail) => Promise<void>;
  /** Removes stored messages whose `validUntilMs` has passed. */
  removeExpired: (nowMs: number) => Promise<void>;
}

export interface MailerOptions {
  /** An SMTP server: `smtp://user:password@host:587`, `smtps://…` (setting `app.mail.url`). */
  url?: string | undefined;
  /** The sender (setting `app.mail.from`). */
  from: string;
  /** Without a server, messages are stored as files in `mail/` of this folder. */
  dataDir: string;
  clock: Clock;
  /** Logs the path of a stored message. */
  log: (facts: { path: string }, message: string) => void;
}

/** How long a mail server may take to accept a connection, to greet, or to answer a command, in ms. */
const serverTimeoutMs = 10_000;

/** Sends by SMTP or, without a server, stores each message as a file that only the owner can read. */
export function mailerOf(options: MailerOptions): Mailer {
  return options.url === undefined ? fileMailer(options) : smtpMailer(options.url, options.from);
}

/**
 * Resolves when the SMTP server accepts a connection and the credentials in `url`; rejects with the reason otherwise.
 */
export async function verifyMailServer(url: string): Promise<void> {
  const transport = await transportTo(url);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/** Loaded only when needed: it takes 10 MB. */
async function transportTo(url: string, defaults = {}) {
  const { createTransport } = await import('nodemailer');
  const options = {
    url,
    connectionTimeout: serverTimeoutMs,
    greetingTimeout: serverTimeoutMs,
    socketTimeout: serverTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return createTransport(options, defaults);
}

/** Whether a mail server has refused the address for good (SMTP 5xx), so that sending again is useless. */
export function isAddressRefused(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: unknown; responseCode?: number };
  return code === 'EENVELOPE' && responseCode >= 500;
}

function smtpMailer(url: string, from: string): Mailer {
  let opened: ReturnType<typeof transportTo> | undefined;
  return {
    hasServer: true,
    send: async ({ to, subject, text, html, id }) => {
      const named = id === undefined ? {} : { messageId: `<${id}@florin>` };
      opened ??= transportTo(url, { from });
      const transport = await opened;
      await transport.sendMail({ to: { name: '', address: to }, subject, text, ...(html && { html }), ...named });
    },
    removeExpired: async () => {},
  };
}

function fileMailer({ from, dataDir, log, clock }: MailerOptions): Mailer {
  const folder = join(dataDir, 'mail');
  return {
    hasServer: false,
    removeExpired: (nowMs) => removeExpired(folder, nowMs),
    send: async (mail) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const now = new Date(clock());
      await removeExpired(folder, now.getTime());
      const validity = mail.validUntilMs === undefined ? '' : `.until-${mail.validUntilMs}`;
      const name = `${now.toISOString().replaceAll(':', '-')}-${randomBytes(4).toString('hex')}${validity}`;
      const path = join(folder, `${name}.eml`);
      // Written under a hidden name and renamed, so that the folder never contains half a message.
      const unfinished = join(folder, `.${name}`);
      await writeFile(unfinished, messageOf(mail, from, now), { mode: 0o600, flag: 'wx' });
      await rename(unfinished, path);
      log({ path }, 'There is no mail server (app.mail.url): the message was kept as a file.');
    },
  };
}

/** The name of a file says until when its message is valid, so that no message has to be read. */
async function removeExpired(folder: string, nowMs: number): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const expired = names.filter(
    (name) => Number(/\.until-(\d+)\.eml$/.exec(name)?.[1] ?? Number.POSITIVE_INFINITY) <= nowMs,
  );
  await Promise.all(expired.map((name) => rm(join(folder, name), { force: true })));
}

/** A message by RFC 5322, readable as text and by mail programs. */
function messageOf({ to, subject, text }: Mail, from: string, now: Date): string {
  const headers = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${now.toUTCString()}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ];
  return `${headers.map((header) => header.replace(/[\r\n]+/g, ' ')).join('\n')}\n\n${text}\n`;
}
