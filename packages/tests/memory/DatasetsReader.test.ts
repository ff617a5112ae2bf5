/** Which cells of a week of sessions count. Rule: datasets#bounds-of-datasets. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { datasetsReader } from "../../core/src/memory/DatasetsReader.ts"
import { makeTables } from "../../core/src/memory/tables/Tables.ts"
import { leastSessions, mostSessionCells } from "../../core/src/usage/datasets/datasetRules.ts"
import { emptyEvent } from "../../core/src/delivery/testDestinationEvent.ts"
import type { UsageEvent } from "../../core/src/ports/usage.ts"
import { runSteps } from "../value/runSteps.ts"

const monday = "2026-03-02"

it("cells of models that are not public are among those that count", { tags: ["deep"] }, () => {
  const tables = makeTables()
  const at = `${monday}T12:00:00.000Z`
  const events = new Map<string, UsageEvent>()
  const use = (model: string, sessions: number) => {
    for (let session = 0; session < sessions; session++) {
      const id = `${model} ${session}`
      const named = { id, session_id: id, model, workspace_id: "", provider: "acme", origin: "https://app.example.com" }
      events.set(id, { ...emptyEvent, ...named, created_at: at, recorded_at: at, self_reported: false })
    }
  }
  tables.usageEvents.set("account", events)
  const architecture = {
    input_modalities: [],
    output_modalities: [],
    modality: "",
    instruct_type: null,
    tokenizer: null
  }
  const listed = { name: "", created: 0, description: "", public: true, listing: {}, architecture, endpoints: [] }
  runSteps(tables.models.put(null, [{ id: "acme/public", canonical_slug: "acme/public", ...listed }], at))
  const published = () =>
    Effect.map(datasetsReader(tables).sessions({ monday, limit: 10, offset: 0 }), ({ rows }) =>
      rows.map(({ model_permaslug }) => model_permaslug)
    )

  use("acme/public", leastSessions)
  assert.deepEqual(Effect.runSync(published()), ["acme/public"])
  for (let model = 0; model < mostSessionCells; model++) use(`acme/hidden${model}`, leastSessions + 1)
  assert.deepEqual(Effect.runSync(published()), [])
})
