import { verifyMailServer } from '../../../platform/mail/mailer.ts';
import { reasonOf } from '../../../platform/postgres/connection/connection.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import type { MachineCheck } from '../check.ts';
import { isInProduction, notInProduction } from './production.ts';

export const publicUrl: MachineCheck = {
  name: 'the public address is an https address',
  check: async ({ settings }) => {
    const url = publicUrlOf(settings);
    if (url.startsWith('https:')) return undefined;
    if (!isInProduction(settings)) return notInProduction;
    return {
      what:
        'app.public-url is ' +
        `${settings['app.public-url'] === undefined ? `not set, so links and callbacks use ${url}` : url}`,
      cure: 'set APP_PUBLIC_URL to the https address at which browsers and providers reach Florin',
    };
  },
};

export const sandbox: MachineCheck = {
  name: 'no payment can be made with the sandbox in production',
  check: async ({ settings }) => {
    if (settings['app.sandbox.enabled'] !== 'true') return undefined;
    if (!isInProduction(settings)) return notInProduction;
    return {
      what: 'channels may use the sandbox, a provider that moves no money',
      cure: 'set APP_SANDBOX_ENABLED=false, unless this is a test installation',
    };
  },
};

export const mail: MachineCheck = {
  name: 'mail can be sent',
  check: async ({ settings }) => {
    const url = settings['app.mail.url'];
    if (url === undefined) {
      if (!isInProduction(settings)) return notInProduction;
      return {
        what:
          'app.mail.url is not set: mail about passwords and disabled webhooks is sent to nobody, and stored in ' +
          'the data folder',
        cure: 'set APP_MAIL_URL to your SMTP server, such as smtps://user:password@mail.example.com',
      };
    }
    try {
      await verifyMailServer(url);
      return undefined;
    } catch (error) {
      // The account and its password are not repeated.
      return {
        what: `the mail server ${new URL(url).host} does not accept this account: ${reasonOf(error)}`,
        cure: 'check app.mail.url, and that this machine may connect to the server',
      };
    }
  },
};
