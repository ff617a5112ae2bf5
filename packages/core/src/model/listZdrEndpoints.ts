import { Endpoint } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { catalogAnswer } from "./CatalogAnswers.ts"
import { families, measureEndpoints, measuredAtOnce, unmeasured } from "./measureModels.ts"
import { ModelCatalog } from "../ports/models.ts"
import { printedEndpoint } from "./printedEndpoint.ts"

/** The endpoints that keep no data, of all models that the account sees. */
const zdrEndpoints = Effect.fnUntraced(function* (account_id: string) {
  const visible = yield* (yield* ModelCatalog).visible(account_id)
  const familyOf = families(visible)
  const ofModels = yield* Effect.forEach(
    visible,
    (model) => {
      const endpoints = model.endpoints.filter(({ zero_data_retention }) => zero_data_retention)
      if (endpoints.length === 0) return Effect.succeed([])
      return Effect.map(measureEndpoints(account_id, model, familyOf(model), endpoints), (measured) =>
        // In the order of the schema, as the entity tag stands on it.
        endpoints.map((endpoint, index) =>
          Endpoint.parse(printedEndpoint(model, endpoint, measured[index] ?? unmeasured))
        )
      )
    },
    { concurrency: measuredAtOnce }
  )
  return ofModels.flat()
})

/**
 * Rule: models#endpoint-statistics, guardrails#zero-data-retention.
 *
 * @param form the wire profile, and how its clients read an endpoint
 */
export const listZdrEndpoints = operation("listZdrEndpoints")(function* (
  { account_id }: Caller,
  form: { readonly name: string; readonly of: (endpoint: Endpoint) => Endpoint }
) {
  return yield* catalogAnswer(
    account_id,
    `zdr ${form.name}`,
    Effect.map(zdrEndpoints(account_id), (endpoints) => ({ data: endpoints.map(form.of) }))
  )
})
