import { setting } from '../../../platform/settings/declare.ts';
import { integer, networks } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.webhook.allow-targets': setting(networks, {
    description:
      'Private networks (CIDR) that deliveries to any endpoint may reach, and whose answers are kept. ' +
      "Beyond them, only an administrator's session may register private targets, in STANDALONE mode alone, " +
      'and their answers are not kept.',
  }),
  'app.webhook.max-endpoints': setting(integer(1, 10_000), {
    default: '50',
    description:
      'Webhook endpoints of one tenant, disabled ones included. Each adds a delivery to every event it subscribes to.',
  }),
};
