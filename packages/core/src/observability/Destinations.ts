/** Where observability destinations are remembered: what is shown in clear, what is true encrypted. */
import type { Destination } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"

export class Destinations extends Context.Service<
  Destinations,
  {
    /**
     * `config` as it is shown, `sealed_config` as it was given. `full`: the workspace has as many destinations of this
     * type as it can have; `missing`: the workspace does not exist (any more).
     */
    readonly insert: (
      account_id: string,
      destination: Destination,
      sealed_config: Uint8Array
    ) => Effect.Effect<"inserted" | "full" | "missing">
    readonly list: (
      account_id: string,
      filter: { readonly workspace_id: string },
      page: PageRequest
    ) => Effect.Effect<Page<Destination>>
  }
>()("gatewarden/Destinations") {}
