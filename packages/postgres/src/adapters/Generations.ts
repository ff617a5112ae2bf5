import { withAdjustments } from "@gatewarden/core/internal"
import { Generations, type KeptContent, type RecordedGeneration, type UsageEvent } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading, repeating, writing } from "../statements/statements.ts"
import { adjustmentsOf } from "../statements/usageEventRows.ts"

/** Amounts stay exact: the one converter would make numbers of them. */
const generationOf = ({ category, comment, given_at, ...row }: Columns): RecordedGeneration => ({
  ...fromRow<RecordedGeneration>(row),
  cost_nanos: row["cost_nanos"] as bigint,
  byok_cost_nanos: row["byok_cost_nanos"] as bigint,
  usage_upstream_nanos: row["usage_upstream_nanos"] as bigint | null,
  feedback: category === null ? null : fromRow({ category, comment, given_at })
})

/** With what it counts for. */
const adjusted = (generation: RecordedGeneration, adjustments: readonly UsageEvent[]): RecordedGeneration => {
  const upstream = generation.usage_upstream_nanos
  const cost_components = upstream === null ? {} : { usage_upstream: upstream }
  const {
    cost_components: components,
    cache_write_tokens: _,
    ...counted
  } = withAdjustments({ ...generation, cost_components, cache_write_tokens: 0 }, adjustments)
  return { ...counted, usage_upstream_nanos: components.usage_upstream ?? null }
}

export const generations = Effect.map(SqlClient.SqlClient, (sql) =>
  Generations.of({
    // Both by primary keys.
    find: (account_id, id) =>
      reading(
        Effect.flatMap(
          sql`
            select event.id, created_at, workspace_id, model, variant, provider, external_user, origin, session_id, data_region,
              status, finish_reason, byok, prompt_tokens, completion_tokens, coalesce(reasoning_tokens, 0) as reasoning_tokens,
              coalesce(cached_tokens, 0) as cached_tokens, cost_nanos,
              byok_cost_nanos, usage_upstream_nanos, latency_ms, generation_ms, feedback.category, comment, given_at
            from gatewarden_usage_events(${account_id}::uuid, array[${id}::text], null::gatewarden_usage_event) event
            left join gatewarden_generation_feedback feedback on feedback.id = event.id and feedback.account_id = event.account_id
            where event.adjusts is null`,
          ([row]) => {
            if (row === undefined) return Effect.succeed(Option.none<RecordedGeneration>())
            const generation = generationOf(row)
            return Effect.map(adjustmentsOf(sql, account_id, [generation]), (found) =>
              Option.some(adjusted(generation, found.get(id) ?? []))
            )
          }
        )
      ),
    keepFeedback: (account_id, id, { category, comment, given_at }) =>
      writing(
        Effect.map(
          sql`
            insert into gatewarden_generation_feedback (id, account_id, category, comment, given_at)
            select id, account_id, ${category}::text, ${comment}::text, ${new Date(given_at)}::timestamptz
            from gatewarden_usage_events(${account_id}::uuid, array[${id}::text], null::gatewarden_usage_event) event
            where adjusts is null
            on conflict (id, account_id) do update
            set category = excluded.category, comment = excluded.comment, given_at = excluded.given_at
            returning 1`.pipe(repeating),
          ({ length }) => length > 0
        )
      ),
    findContent: (account_id, id) =>
      reading(
        Effect.map(
          sql<KeptContent>`
            select workspace_id, sealed_bodies from gatewarden_generation_content c
            where event_id = ${id} and account_id = ${account_id}
              and exists (select from gatewarden_workspace w where w.id = c.workspace_id)`,
          ([row]) => Option.fromNullishOr(row)
        )
      )
  })
)
