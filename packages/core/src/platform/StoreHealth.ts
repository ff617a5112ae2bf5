import { Context, type Effect } from "effect"

/** Whether the store answers; dies with `StoreUnavailable` when it does not. Rule: operating#probes. */
export class StoreHealth extends Context.Service<StoreHealth, { readonly ping: Effect.Effect<void> }>()(
  "gatewarden/StoreHealth"
) {}
