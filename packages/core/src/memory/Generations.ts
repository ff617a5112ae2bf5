import { Effect, Option } from "effect"
import { Generations } from "../ports/usage.ts"
import { requestWithAdjustments } from "./tables/recordEvent.ts"
import { onSweep, sweepMap } from "./tables/sweeps.ts"
import { eventPlace, type Tables } from "./tables/Tables.ts"

export const generations = (tables: Tables) => {
  onSweep(
    tables.sweeps,
    "generation_feedback",
    sweepMap(tables.generationFeedback, ({ given_at }, before) => Date.parse(given_at) < before)
  )
  onSweep(
    tables.sweeps,
    "generation_contents",
    sweepMap(
      tables.generationContents,
      ({ recorded_at, workspace_id }, before) => recorded_at < before || !tables.workspaces.has(workspace_id)
    )
  )
  return Generations.of({
    find: (account_id, id) =>
      Effect.sync(() =>
        Option.map(Option.fromNullishOr(requestWithAdjustments(tables, account_id, id)), (event) => ({
          id: event.id,
          created_at: event.created_at,
          workspace_id: event.workspace_id,
          model: event.model,
          variant: event.variant,
          provider: event.provider,
          external_user: event.external_user,
          origin: event.origin,
          session_id: event.session_id,
          data_region: event.data_region,
          status: event.status,
          finish_reason: event.finish_reason,
          byok: event.byok,
          prompt_tokens: event.prompt_tokens,
          completion_tokens: event.completion_tokens,
          reasoning_tokens: event.reasoning_tokens,
          cached_tokens: event.cached_tokens,
          cost_nanos: event.cost_nanos,
          byok_cost_nanos: event.byok_cost_nanos,
          usage_upstream_nanos: event.cost_components.usage_upstream ?? null,
          latency_ms: event.latency_ms,
          generation_ms: event.generation_ms,
          feedback: tables.generationFeedback.get(eventPlace(account_id, id)) ?? null
        }))
      ),
    keepFeedback: (account_id, id, feedback) =>
      Effect.sync(() => {
        if (requestWithAdjustments(tables, account_id, id) === undefined) return false
        tables.generationFeedback.set(eventPlace(account_id, id), feedback)
        return true
      }),
    findContent: (account_id, id) =>
      Effect.sync(() =>
        Option.filter(
          Option.fromNullishOr(tables.generationContents.get(eventPlace(account_id, id))),
          ({ workspace_id }) => tables.workspaces.has(workspace_id)
        )
      )
  })
}
