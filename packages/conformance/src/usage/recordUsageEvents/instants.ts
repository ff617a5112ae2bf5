/** Instants: how they are written, and how far ahead a clock may be. */
import { assert } from "@effect/vitest"
import type { World } from "../../World.ts"
import type { Case } from "../../http/Case.ts"
import { bad, good, record, shows } from "./scene.ts"

const ahead = (world: World, millis: number) => new Date(world.installation.clock.now + millis).toISOString()

export const instants: readonly Case[] = [
  {
    name: "five minutes ahead",
    status: 200,
    run: (world) => record(world, { created_at: ahead(world, 300_000 - 1) }),
    check: shows([], [{ request_count: 1 }])
  },
  {
    name: "more than five minutes ahead",
    status: 400,
    run: (world) => record(world, { created_at: ahead(world, 300_001) }),
    check: ({ json }) => {
      assert.strictEqual(json.error.metadata.reason, "future_event")
      assert.strictEqual(json.error.metadata.issues[0].path, "events.0.created_at")
    }
  },
  good("long ago", { created_at: "0000-01-01T00:00:00.123456789Z" }),
  bad("minute precision", { created_at: "2026-03-04T11:00Z" }, "created_at"),
  bad("no zone", { created_at: "2026-03-04T11:00:00" }, "created_at"),
  bad("an offset of more than a day", { created_at: "2026-03-04T11:00:00+24:00" }, "created_at"),
  bad("a day that is none", { created_at: "2026-02-30T11:00:00Z" }, "created_at")
]
