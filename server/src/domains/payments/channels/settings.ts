import { setting } from '../../../platform/settings/declare.ts';
import { integer } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.channel.max-per-tenant': setting(integer(1, 100_000), {
    default: '1000',
    description: 'How many channels a tenant may have. Further ones are refused; existing ones stay.',
  }),
};
