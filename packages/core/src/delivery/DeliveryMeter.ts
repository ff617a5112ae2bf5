/** Told of each batch that this process has sent, for whoever counts them. By default nobody does. */
import type { DestinationType } from "@gatewarden/contract"
import { Context } from "effect"
import type { DeliveryAttempt } from "../ports/deliveries.ts"

export const DeliveryMeter = Context.Reference<(type: DestinationType, attempt: DeliveryAttempt) => void>(
  "gatewarden/DeliveryMeter",
  { defaultValue: () => () => {} }
)
