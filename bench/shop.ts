import { type Merchant, Service } from './service.ts';

/** A running service with a merchant and a channel. */
export interface Shop {
  service: Service;
  merchant: Merchant;
  channelId: number;
}

export async function openShop(processes = 1): Promise<Shop> {
  const service = await Service.start(undefined, { APP_PROCESSES: String(processes) });
  const channelId = await service.createChannel('bank');
  return { service, channelId, merchant: await service.createMerchant('merchant') };
}
