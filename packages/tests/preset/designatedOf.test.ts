/** Whose presets a caller designates versions of. Rule: presets#who-designates. */
import { assert, it } from "@effect/vitest"
import type { Caller } from "../../core/src/access/Caller.ts"
import { designatedOf } from "../../core/src/preset/preset.ts"

const caller = {
  account_id: "acme",
  key_hash: "a".repeat(64),
  workspace_id: null,
  default_workspace_id: null,
  is_operator: false,
  restrictions: null
} as const

it.each<readonly [Pick<Caller, "kind" | "user_id">, string | null]>([
  [{ kind: "management", user_id: null }, "system"],
  [{ kind: "management", user_id: "ann" }, "ann"],
  [{ kind: "normal", user_id: "ann" }, "ann"],
  [{ kind: "normal", user_id: null }, null],
  // Keys with this user can exist: an older version accepted the id.
  [{ kind: "normal", user_id: "system" }, null]
])("%o is the creator %s", (who, expected) => {
  assert.strictEqual(designatedOf({ ...caller, ...who }, { presets_designated_by: "creator" }), expected)
})
