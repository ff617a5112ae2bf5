/** The statement that a host would write by hand: rows into one table with a primary key, without anything that is made of them. */
import { costComponents } from "@gatewarden/contract/internal"
import type { UsageEvent } from "@gatewarden/core/store"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { openDriver } from "../openDriver.ts"
import { seededAccount } from "./seededEvents.ts"

type Value = string | number | bigint | boolean | null | undefined | readonly string[]

const columns: Readonly<Record<string, readonly [type: string, value: (event: UsageEvent) => Value]>> = {
  id: ["text", (event) => event.id],
  workspace_id: ["uuid", (event) => event.workspace_id],
  created_at: ["timestamptz", (event) => event.created_at],
  recorded_at: ["timestamptz", (event) => event.recorded_at],
  ...Object.fromEntries(
    (
      [
        ...([
          "model",
          "variant",
          "provider",
          "endpoint_tag",
          "api_key_hash",
          "user_id",
          "external_user",
          "app"
        ] as const),
        ...(["country", "session_id", "status", "finish_reason", "context_length_bucket"] as const)
      ] as const
    ).map((name) => [name, ["text", (event: UsageEvent) => event[name]] as const])
  ),
  ...Object.fromEntries(
    (["byok", "guardrail_invoked", "response_cached"] as const).map((name) => [
      name,
      ["boolean", (event: UsageEvent) => event[name]] as const
    ])
  ),
  ...Object.fromEntries(
    (
      [
        "prompt_tokens",
        "completion_tokens",
        "reasoning_tokens",
        "cached_tokens",
        "cost_nanos",
        "byok_cost_nanos"
      ] as const
    ).map((name) => [name, ["bigint", (event: UsageEvent) => event[name]] as const])
  ),
  ...Object.fromEntries(
    costComponents.map((name) => [
      `${name}_nanos`,
      ["bigint", (event: UsageEvent) => event.cost_components[name]] as const
    ])
  ),
  ...Object.fromEntries(
    (["latency_ms", "generation_ms", "throughput"] as const).map((name) => [
      name,
      ["double precision", (event: UsageEvent) => event[name]] as const
    ])
  )
}

const literal = (value: Value): string =>
  value === null || value === undefined ? "NULL" : `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`

export const openBareInsert = async (url: string) => {
  await execute(
    url,
    `create table bare_event as select account_id, ${Object.keys(columns).join(", ")} from gatewarden_usage_event limit 0`,
    "alter table bare_event add primary key (account_id, id)"
  )
  const driver = await openDriver(url, false)
  const statement = `insert into bare_event (account_id, ${Object.keys(columns).join(", ")})
    select '${seededAccount}'::uuid, * from unnest(${Object.values(columns)
      .map(([type], index) => `$${index + 1}::text::${type}[]`)
      .join(", ")}) on conflict do nothing`
  return {
    /** A chunk at a time, each committed. */
    insert: async (chunks: Iterable<readonly UsageEvent[]>): Promise<void> => {
      for (const chunk of chunks) {
        const parameters = Object.values(columns).map(
          ([, value]) => `{${chunk.map((event) => literal(value(event))).join(",")}}`
        )
        await new Promise((resolve) => driver.query(statement, parameters, resolve))
      }
    },
    close: driver.close
  }
}
