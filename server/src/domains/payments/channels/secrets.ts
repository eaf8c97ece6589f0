export type SecretName = 'apiKey' | 'apiSecret' | 'webhookSecret';

/** The associated data of a channel's secret: where it is stored. It does not open elsewhere. */
export function secretAssociatedData(tenantId: number, id: number, name: SecretName): string {
  return `channel/${tenantId}/${id}/${name}`;
}

export interface SecretOpener {
  /** Opens a sealed secret with its associated data. */
  open: (sealed: Buffer, associatedData: string) => string;
  /** Whether the key of a sealed secret is declared lost (`app.encryption.keys`). */
  isLost: (sealed: Buffer) => boolean;
}
