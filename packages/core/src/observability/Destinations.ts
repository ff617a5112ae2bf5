/** The observability destinations: the masked config in plain text, the real config encrypted. */
import type { Destination } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"

export class Destinations extends Context.Service<
  Destinations,
  {
    /**
     * `config`: masked; `sealed_config`: encrypted, as it was sent. `full`: the workspace has the maximum number of destinations of this
     * type; `missing`: the workspace does not exist (any more).
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
