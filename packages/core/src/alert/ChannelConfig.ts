/** The config of an alert channel as it is kept. */
import type { AlertChannelConfig, AlertChannelType } from "@gatewarden/contract"

/** A replaced signing secret that still signs. */
export interface FormerSecret {
  readonly secret: string
  /** Epoch milliseconds. */
  readonly until: number
}

/** What is encrypted: the config, and the signing secret that it had before. */
export interface ChannelConfig<Type extends AlertChannelType = AlertChannelType> {
  readonly config: AlertChannelConfig<Type>
  readonly former?: FormerSecret | undefined
}
