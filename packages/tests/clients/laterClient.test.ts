/**
 * What versions of the public client after the installed one accept, of answers to requests as they send them. The schemas are their
 * published types, written again. Source: docs/decisions/0012-public-api-of-today.md.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as z from "zod"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

let server: ServerProcess

beforeAll(async () => {
  server = await startServerProcess()
})

afterAll(() => server?.stop())

/** As a generated client sends it. */
const send = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${managementKey}`,
      "content-type": "application/json",
      "user-agent": "speakeasy-sdk/typescript 1.2.51 2.0.0 1.0.0 @openrouter/sdk"
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, json: (await response.json()) as unknown }
}

const instant = z.iso.datetime({ offset: true })
const usd = z.number()

/** Of a key in every answer that has one. Source: OpenRouterTeam/typescript-sdk 82b85613, `CreateKeysRotateData`, `GetKeyData`. */
const Key = z.object({
  byok_usage: usd,
  byok_usage_daily: usd,
  byok_usage_monthly: usd,
  byok_usage_weekly: usd,
  created_at: z.string(),
  creator_user_id: z.string().nullable(),
  disabled: z.boolean(),
  expires_at: instant.nullish(),
  hash: z.string(),
  include_byok_in_limit: z.boolean(),
  label: z.string(),
  limit: usd.nullable(),
  limit_remaining: usd.nullable(),
  limit_reset: z.string().nullable(),
  name: z.string(),
  rotated_from_hash: z.string().nullable(),
  updated_at: z.string().nullable(),
  usage: usd,
  usage_daily: usd,
  usage_monthly: usd,
  usage_weekly: usd,
  workspace_id: z.string()
})
/** Source: OpenRouterTeam/typescript-sdk b3299fe3, `CreateKeysRotateResponse`. */
const Rotated = z.object({
  data: Key,
  key: z.string(),
  predecessor: z.object({ disabled: z.boolean(), expires_at: instant.nullable(), hash: z.string() })
})

describe("later versions of the public client", () => {
  it("rotate a key: at once, later, and without an end", async () => {
    const made = await send("POST", "/keys", { name: "turning" })
    assert.strictEqual(made.status, 201)
    const { hash } = Key.parse((made.json as { readonly data: unknown }).data)
    for (const [after, disabled] of [
      [0, true],
      [3600, false],
      [null, false]
    ] as const) {
      const rotated = await send("POST", `/keys/${hash}/rotate`, { revoke_previous_after_seconds: after })
      assert.strictEqual(rotated.status, 201)
      const { data, predecessor } = Rotated.parse(rotated.json)
      assert.deepInclude(data, { hash, rotated_from_hash: null })
      assert.deepInclude(predecessor, { hash, disabled })
      assert.strictEqual(predecessor.expires_at === null, after === null)
    }
    const read = await send("GET", `/keys/${hash}`)
    assert.strictEqual(Key.parse((read.json as { readonly data: unknown }).data).hash, hash)
  })
})
