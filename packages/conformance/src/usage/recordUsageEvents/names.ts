/** Names of models: as sent, or as the catalog of the moment resolves them. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { record, shows } from "./scene.ts"

export const names: readonly Case[] = [
  {
    name: "names that the catalog does not know are kept, the variant apart",
    status: 200,
    run: (world) => record(world, { model: "nobody/knows:free" }),
    check: shows(["model", "variant"], [{ model: "nobody/knows", variant: "free", request_count: 1 }])
  },
  {
    name: "names are resolved by the catalog of the moment",
    status: 200,
    run: async (world) => {
      const author = `acme-${crypto.randomUUID()}`
      const model = {
        id: `${author}/sonnet`,
        canonical_slug: `${author}/sonnet-2026-01-01`,
        name: "Sonnet",
        created: 0,
        architecture: { input_modalities: ["text"], output_modalities: ["text"] },
        endpoints: []
      }
      await record(world, { model: model.id })
      await world.call("putCatalog", { body: { models: [model] } })
      await record(world, { id: "event-2", model: `${model.id}:free` }, { id: "event-3", model: model.canonical_slug })
      return world.call("queryAnalytics", {
        body: {
          metrics: ["request_count"],
          dimensions: ["model", "variant"],
          order_by: { field: "variant", direction: "desc" }
        }
      })
    },
    check: ({ json }) => {
      const rows = json.data.data.map((row: Record<string, string>) => [
        row["model"]?.replace(/^acme-[^/]*/, ""),
        row["variant"]
      ])
      assert.deepEqual(rows, [
        ["/sonnet-2026-01-01", "free"],
        ["/sonnet", ""],
        ["/sonnet-2026-01-01", ""]
      ])
    }
  }
]
