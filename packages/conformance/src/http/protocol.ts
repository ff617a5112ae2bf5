/**
 * What holds of every operation: paths, methods, headers, JSON, identity and repetition.
 *
 * Rule: requests#order-of-checks, requests#bearer-credentials, requests#idempotency-keys.
 */
import { assert } from "@effect/vitest"
import { reasons, removedOperations } from "@gatewarden/contract/internal"
import { ApiKeys, revokeKey } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { Answer, World } from "../World.ts"
import { absentBodies } from "./absentBodies.ts"
import { type Case, reasonIs } from "./Case.ts"
import { permissionFirst } from "./permissionFirst.ts"
import { timestamps } from "./timestamps.ts"

const guardrails = "/guardrails"
const body = { name: "Repeated" }

const sendRaw = (name: string, raw: string | Uint8Array, code: string): Case => ({
  name: `JSON: ${name}`,
  status: 400,
  run: (world) => world.send("POST", guardrails, { body: raw }),
  check: (answer) => {
    assert.strictEqual(answer.json.error.metadata.reason, "invalid_json")
    assert.strictEqual(answer.json.error.metadata.issues[0].code, code)
  }
})

/** The message is fixed by the status; reason and issue say what is wrong, and neither repeats what was sent. */
const letInRefused =
  (reason: string, path: string) =>
  ({ json, text }: Answer): void => {
    const { message, metadata } = json.error
    assert.strictEqual(message, "Missing Authentication header")
    assert.strictEqual(metadata.reason, reason)
    assert.deepEqual([metadata.issues.length, metadata.issues[0].path, metadata.issues[0].code], [1, path, reason])
    assert.notInclude(text, "s3cret")
  }

const withKey = (name: string, authorization: string): Case => ({
  name: `Authorization: ${name}`,
  status: 401,
  run: (world) => world.send("GET", "/workspaces/default", { headers: { authorization } }),
  check: letInRefused("malformed_authentication", "header.authorization")
})

const keyElsewhere = (name: string, call: { headers?: Record<string, string>; query?: string }): Case => ({
  name: `a key in another place: ${name}`,
  status: 401,
  run: (world) => world.send("GET", "/workspaces/default", { ...call, key: null }),
  check: letInRefused("misplaced_api_key", name)
})

/** A key that worked until `end`. */
const deadKey = (name: string, reason: string, end: (world: World, hash: string) => Promise<unknown>): Case => ({
  name: `a key that is ${name}`,
  status: 401,
  run: async (world) => {
    const expires_at = new Date(world.installation.clock.now + 60_000).toISOString()
    const made = (await world.call("createKey", { body: { name, expires_at } })).json
    assert.strictEqual((await world.send("GET", "/workspaces/default", { key: made.key })).status, 200)
    await end(world, made.data.hash)
    return world.send("GET", "/workspaces/default", { key: made.key })
  },
  check: letInRefused(reason, "header.authorization")
})

const create = (world: World, headers: Record<string, string>, fields: object = body, key?: string) =>
  world.send("POST", guardrails, { body: fields, headers, ...(key === undefined ? {} : { key }) })

const deep = (depth: number) => `{"name":"deep","x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`

/** Rule: requests#removed-operations. */
const removed: readonly Case[] = removedOperations.flatMap(({ method, path }) => [
  {
    name: `${method} ${path}, which the public API has removed`,
    status: 410,
    run: (world) => world.send(method, path, { key: null }),
    check: reasonIs("removed_operation")
  },
  {
    name: `${path} with another method`,
    status: 405,
    run: (world) => world.send("GET", path),
    check: ({ headers }) => assert.strictEqual(headers.get("allow"), method)
  }
])

export const protocol: readonly Case[] = [
  { name: "unknown path", status: 404, run: (world) => world.send("GET", "/nothing"), check: reasonIs("unknown_path") },
  {
    name: "the page that an error leads to",
    status: 200,
    run: async (world) => {
      const { json } = await world.send("GET", "/guardrails/nothing")
      assert.strictEqual(json.error.metadata.doc_url, "../errors/not_found")
      return world.send("GET", "/errors/not_found", { key: null })
    },
    check: ({ headers, text }) => {
      assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none';/)
      assert.include(text, "<h1><code>not_found</code></h1>")
      assert.include(text, reasons.not_found.remedy)
      assert.notMatch(text, /<script|<style|style=|\son\w+=|href="(?:[a-z]+:|\/)/)
    }
  },
  {
    name: "the list of all pages on errors",
    status: 200,
    run: (world) => world.send("GET", "/errors", { key: null }),
    check: async ({ text }, world) => {
      const links = Array.from(text.matchAll(/href="([^"]+)"/g), ([, link = ""]) => link)
      assert.deepEqual(
        links,
        Object.keys(reasons).map((reason) => `errors/${reason}`)
      )
      assert.strictEqual((await world.send("HEAD", `/${links[0]}`, { key: null })).status, 200)
    }
  },
  {
    name: "no page on a reason that there is not",
    status: 404,
    run: (world) => world.send("GET", "/errors/constructor"),
    check: reasonIs("unknown_path")
  },
  {
    name: "a page takes no other method",
    status: 405,
    run: (world) => world.send("POST", "/errors/not_found", { body }),
    check: ({ headers }) => assert.strictEqual(headers.get("allow"), "GET, HEAD")
  },
  { name: "unknown path without a key", status: 404, run: (world) => world.send("GET", "/nothing", { key: null }) },
  { name: "a trailing slash names nothing", status: 404, run: (world) => world.send("POST", "/guardrails/", { body }) },
  { name: "a broken escape names nothing", status: 404, run: (world) => world.send("GET", "/workspaces/%zz") },
  {
    name: "wrong method, before the key is looked at",
    status: 405,
    run: (world) => world.send("DELETE", guardrails, { key: null }),
    check: (answer) => assert.include(answer.headers.get("allow"), "POST")
  },
  { name: "OPTIONS", status: 405, run: (world) => world.send("OPTIONS", guardrails, { key: null }) },
  {
    name: "HEAD answers as GET",
    status: 200,
    run: (world) => world.send("HEAD", "/workspaces/default"),
    check: (answer) => assert.strictEqual(answer.text, "")
  },
  {
    name: "401 before the body is judged",
    status: 401,
    run: (world) => world.send("POST", guardrails, { key: null, body: "{" })
  },
  {
    name: "403 before the body is judged",
    status: 403,
    run: (world) => world.send("POST", guardrails, { key: world.normalKey, body: "{" })
  },
  {
    name: "no key at all",
    status: 401,
    run: (world) => world.send("GET", "/workspaces/default", { key: null }),
    check: letInRefused("missing_authentication", "header.authorization")
  },
  {
    name: "a key nobody made",
    status: 401,
    run: (world) => world.send("GET", "/workspaces/default", { key: "nobody-made-this-s3cret" }),
    check: (answer) => {
      letInRefused("invalid_api_key", "header.authorization")(answer)
      assert.include(answer.text, "start with gwm-v1-, gwg-v1-, gw-v1-")
    }
  },
  ...['"s3cret"', "$s3cret", "<s3cret>"].map((key): Case => ({
    name: `a key that was not filled in: ${key}`,
    status: 401,
    run: (world) => world.send("GET", "/workspaces/default", { key }),
    check: letInRefused("malformed_api_key", "header.authorization")
  })),
  keyElsewhere("header.x-api-key", { headers: { "x-api-key": "s3cret" } }),
  keyElsewhere("header.api-key", { headers: { "api-key": "s3cret" } }),
  keyElsewhere("query.api_key", { query: "api_key=s3cret" }),
  keyElsewhere("query.key", { query: "x=1&key=s3cret" }),
  deadKey("disabled", "disabled_api_key", (world, hash) =>
    world.call("updateKey", { params: { hash }, body: { disabled: true } })
  ),
  deadKey("expired", "expired_api_key", async (world) => void (world.installation.clock.now += 60_000)),
  deadKey("deleted", "revoked_api_key", (world, hash) => world.call("deleteKey", { params: { hash } })),
  deadKey("revoked", "revoked_api_key", (world, hash) =>
    world.installation.run(
      Effect.gen(function* () {
        const [key] = yield* (yield* ApiKeys).list(world.account_id, { hashes: [hash] })
        return key === undefined ? yield* Effect.die(new Error("no key")) : yield* revokeKey(key, false)
      })
    )
  ),
  withKey("another scheme", "Basic abc"),
  withKey("a key without a scheme", "s3cret"),
  withKey("no key", "Bearer "),
  withKey("a key with inner spaces", "Bearer a b"),
  withKey("two keys", "Bearer a, Bearer b"),
  {
    name: "Authorization: the scheme in any case",
    status: 200,
    run: (world) =>
      world.send("GET", "/workspaces/default", { headers: { authorization: `bEaReR ${world.normalKey}` } })
  },
  {
    name: "Authorization: a wrong checksum, though no key can be looked up",
    status: 401,
    run: async (world) => {
      const { faults } = world.installation
      faults.break("ApiKeys")
      try {
        return await world.send("GET", "/workspaces/default", {
          key: `${world.managementKey.slice(0, -1)}${world.managementKey.endsWith("a") ? "b" : "a"}`
        })
      } finally {
        faults.mend()
      }
    },
    check: letInRefused("malformed_api_key", "header.authorization")
  },
  {
    name: "no Content-Type",
    status: 415,
    run: (world) =>
      world.send("POST", guardrails, { body: new TextEncoder().encode("{}"), headers: { "content-type": "" } })
  },
  {
    name: "another Content-Type",
    status: 415,
    run: (world) => world.send("POST", guardrails, { body: "name=x", headers: { "content-type": "text/plain" } })
  },
  {
    name: "another charset",
    status: 415,
    run: (world) =>
      world.send("POST", guardrails, { body: "{}", headers: { "content-type": "application/json; charset=latin1" } })
  },
  {
    name: "charset utf-8",
    status: 200,
    run: (world) =>
      world.send("POST", guardrails, {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json; charset=UTF-8" }
      })
  },
  {
    name: "a coded body, which nothing here decodes",
    status: 415,
    run: (world) => create(world, { "content-encoding": "gzip" }),
    check: (answer) => assert.strictEqual(answer.json.error.metadata.issues[0].path, "header.content-encoding")
  },
  {
    name: "identity, which is no coding",
    status: 200,
    run: (world) => create(world, { "content-encoding": "Identity" })
  },
  {
    name: "a body over 1 MiB",
    status: 413,
    run: (world) => world.send("POST", guardrails, { body: { name: "x".repeat(1_048_576) } }),
    check: reasonIs("payload_too_large")
  },
  {
    name: "a body of exactly 1 MiB",
    status: 200,
    run: (world) => {
      const start = `{"name":"big","ignored":"`
      return world.send("POST", guardrails, { body: `${start}${"x".repeat(1_048_576 - start.length - 2)}"}` })
    }
  },
  ...absentBodies,
  ...permissionFirst,
  ...timestamps,
  ...removed,
  sendRaw("empty", "", "invalid_json"),
  sendRaw("broken", `{"name":`, "invalid_json"),
  sendRaw("a duplicate key", `{"name":"a","na\\u006de":"b"}`, "duplicate_key"),
  sendRaw("a lone surrogate", `{"name":"\\ud800"}`, "lone_surrogate"),
  sendRaw("U+0000", `{"name":"a\\u0000"}`, "nul_character"),
  sendRaw("bytes that are no UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), "invalid_utf8"),
  sendRaw("depth 65", deep(65), "too_deep"),
  { name: "JSON: depth 64", status: 200, run: (world) => world.send("POST", guardrails, { body: deep(64) }) },
  sendRaw("an array", "[]", "not_an_object"),
  sendRaw("null", "null", "not_an_object"),
  {
    name: "JSON: __proto__ and constructor are ordinary keys",
    status: 200,
    run: (world) =>
      world.send("POST", guardrails, {
        body: `{"name":"plain","__proto__":{"description":"x"},"constructor":{"prototype":{"y":1}}}`
      }),
    check: (answer) => {
      assert.isNull(answer.json.data.description)
      assert.isUndefined(({} as { y?: number }).y)
    }
  },
  {
    name: "unknown fields and response fields are ignored",
    status: 200,
    run: (world) =>
      world.send("POST", guardrails, {
        body: {
          ...body,
          id: "00000000-0000-4000-8000-000000000000",
          created_at: "2020-01-01T00:00:00Z",
          account_id: "x",
          is_default: true,
          surprise: 1
        }
      }),
    check: (answer) => {
      assert.notStrictEqual(answer.json.data.id, "00000000-0000-4000-8000-000000000000")
      assert.notProperty(answer.json.data, "surprise")
      assert.notProperty(answer.json.data, "account_id")
    }
  },
  {
    name: "a misspelt field where a required one is missing",
    status: 400,
    run: (world) => world.send("POST", guardrails, { body: { nmae: "Misspelt" } }),
    check: ({ json }) =>
      assert.deepEqual(json.error.metadata.issues, [
        {
          path: "name",
          code: "invalid_type",
          message: "Expected a string; it is missing. `nmae` is not a field here; send `name`"
        }
      ])
  },
  {
    name: "an unknown query parameter of the public API is ignored",
    status: 200,
    run: (world) => world.send("GET", "/workspaces/default", { query: "x=1&x=2" })
  },
  {
    name: "a known query parameter given twice",
    status: 400,
    run: (world) =>
      world.send("DELETE", "/workspaces/default", {
        query: "confirm_default_workspace_deletion=true&confirm_default_workspace_deletion=true"
      })
  },
  {
    name: "a request id is kept",
    status: 404,
    run: (world) => world.send("GET", "/nothing", { headers: { "x-request-id": "A.b_c-1" } }),
    check: (answer) => {
      assert.strictEqual(answer.headers.get("x-request-id"), "A.b_c-1")
      assert.strictEqual(answer.json.error.metadata.request_id, "A.b_c-1")
    }
  },
  {
    name: "a malformed request id is replaced",
    status: 404,
    run: (world) => world.send("GET", "/nothing", { headers: { "x-request-id": "a b" } }),
    check: (answer) => assert.notStrictEqual(answer.headers.get("x-request-id"), "a b")
  },
  {
    name: "the public client is answered 201 where it expects it",
    status: 201,
    run: (world) => create(world, { "user-agent": "speakeasy-sdk/typescript 1.3.19 2.914.0 1.0.0 @openrouter/sdk" })
  },
  {
    name: "Idempotency-Key: a repetition answers what the first answered",
    status: 200,
    run: async (world) => {
      const first = await create(world, { "idempotency-key": "k1" })
      const again = await create(world, { "idempotency-key": "k1" })
      assert.strictEqual(again.text, first.text)
      assert.isNull(first.headers.get("idempotent-replayed"))
      return again
    },
    check: (answer) => assert.strictEqual(answer.headers.get("idempotent-replayed"), "true")
  },
  {
    name: "Idempotency-Key: another body",
    status: 400,
    run: async (world) => {
      await create(world, { "idempotency-key": "k2" })
      return create(world, { "idempotency-key": "k2" }, { name: "Other" })
    },
    check: reasonIs("idempotency_key_reused")
  },
  {
    name: "Idempotency-Key: forgotten after 24 hours",
    status: 200,
    run: async (world) => {
      const first = await create(world, { "idempotency-key": "k3" })
      world.installation.clock.now += 86_400_000
      const later = await create(world, { "idempotency-key": "k3" })
      assert.notStrictEqual(later.text, first.text)
      return later
    }
  },
  {
    name: "Idempotency-Key: a failure is not kept",
    status: 200,
    run: async (world) => {
      const failed = await create(world, { "idempotency-key": "k4" }, { name: "", description: "x" })
      assert.strictEqual(failed.status, 400)
      return create(world, { "idempotency-key": "k4" })
    }
  },
  {
    name: "Idempotency-Key: another account is another caller",
    status: 200,
    run: async (world) => {
      const first = await create(world, { "idempotency-key": "k5" })
      const other = await create(await world.other(), { "idempotency-key": "k5" })
      assert.notStrictEqual(other.text, first.text)
      return other
    }
  },
  {
    name: "Idempotency-Key: requests at once make one",
    status: 200,
    run: async (world) => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => create(world, { "idempotency-key": "k6" })))
      assert.strictEqual(new Set(answers.map((answer) => answer.text)).size, 1)
      return answers[0] ?? assert.fail()
    }
  },
  {
    name: "Idempotency-Key: malformed",
    status: 400,
    run: (world) => create(world, { "idempotency-key": "k".repeat(256) }),
    check: reasonIs("invalid_idempotency_key")
  }
]
