/** Looks into a PostgreSQL database for what was acknowledged, for halves of writes, and for gaps between versions. */
import { assert } from "@effect/vitest"
import { execute } from "../stores/postgresServer.ts"
import { eventsPerBatch, type Write, type WriteKind } from "./acknowledgedWrites.ts"

/** How many rows there are of each name that was written. */
const countsOf: Readonly<Record<WriteKind, string>> = {
  guardrail: "select name, count(*)::int as count from gatewarden_guardrail group by 1",
  byok: "select name, count(*)::int as count from gatewarden_byok_credential where sealed_key is not null group by 1",
  preset: "select system_prompt as name, count(*)::int as count from gatewarden_preset_version group by 1",
  usage: "select split_part(id, '/', 1) as name, count(*)::int as count from gatewarden_usage_event group by 1"
}

/**
 * Acknowledged: there, once. Refused: not there. Neither: there once or not at all. And nothing else is there. Returns how many
 * of those whose outcome nobody was told were kept.
 */
export const assertKept = async (database: string, writes: readonly Write[]): Promise<number> => {
  const problems: string[] = []
  let surprising = 0
  for (const [kind, select] of Object.entries(countsOf) as [WriteKind, string][]) {
    const whole = kind === "usage" ? eventsPerBatch : 1
    const rows = new Map((await execute(database, select)).map(({ name, count }) => [String(name), Number(count)]))
    for (const { name, outcome } of writes.filter((write) => write.kind === kind)) {
      const count = rows.get(name) ?? 0
      rows.delete(name)
      const possible = outcome === "acknowledged" ? [whole] : outcome === "refused" ? [0] : [0, whole]
      if (!possible.includes(count)) problems.push(`${kind} ${name} ${outcome}: ${count} of ${whole}`)
      if (outcome !== "acknowledged" && count > 0) surprising++
    }
    for (const [name, count] of rows) problems.push(`${kind} ${name} was never sent: ${count}`)
  }
  assert.deepStrictEqual(problems, [])

  const broken = await execute(
    database,
    `select preset.slug from gatewarden_preset preset join gatewarden_preset_version version on version.preset_id = preset.id
     group by preset.id
     having array_agg(version.version order by version.version) <> array(select generate_series(1, preset.last_version))
       or preset.designated_version_id <> (array_agg(version.id order by version.version desc))[1]`
  )
  assert.deepStrictEqual(broken, [], "versions with gaps")
  const versions = new Map(
    (
      await execute(
        database,
        "select system_prompt as name, slug || ' ' || version as place from gatewarden_preset_version version join gatewarden_preset preset on preset.id = preset_id"
      )
    ).map(({ name, place }) => [name, place])
  )
  for (const { kind, name, data } of writes)
    if (kind === "preset" && data !== undefined)
      assert.strictEqual(versions.get(name), `${data.slug} ${data.designated_version.version}`)
  return surprising
}
