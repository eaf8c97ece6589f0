export type SecretName = 'apiKey' | 'apiSecret' | 'webhookSecret';

/** The place of storage that a channel's secret is sealed for: it cannot be opened from another place. */
export function secretPlace(tenantId: number, id: number, name: SecretName): string {
  return `channel/${tenantId}/${id}/${name}`;
}

export interface SecretOpener {
  /** Opens a sealed secret from its place of storage. */
  open: (sealed: Buffer, place: string) => string;
  /** Whether the key of a sealed secret is declared lost (`app.encryption.keys`). */
  isLost: (sealed: Buffer) => boolean;
}
