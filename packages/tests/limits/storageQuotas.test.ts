/** What an account and a workspace may store, with quotas so small that each is met. Rule: operating#storage-quotas. */
import { type Answer, fetchDoor, Installation, type World } from "@gatewarden/conformance"
import { defaultStorageLimits } from "@gatewarden/core/effect"
import { Files, StoredAmounts } from "@gatewarden/core/store"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fileOf } from "@gatewarden/conformance/internal/stores/furnishedAccount"
import { stores } from "@gatewarden/testkit/stores/stores"

const limits = {
  ...defaultStorageLimits,
  keys_per_account: 4,
  external_users_per_account: 2,
  guardrails_per_account: 2,
  credentials_per_account: 2,
  workspaces_per_account: 2,
  idempotency_bytes_per_account: 100,
  versions_per_preset: 3,
  preset_bytes_per_workspace: 2_000,
  files_per_workspace: 2,
  file_bytes_per_account: 1_000
}

const refuses = (answer: Answer, quota: string) => {
  assert.strictEqual(answer.status, 400, answer.text)
  const { reason, issues } = answer.json.error.metadata
  assert.strictEqual(reason, "quota_exceeded")
  assert.include(issues[0].message, quota)
  assert.include(issues[0].message, `GATEWARDEN_MAX_${quota.toUpperCase()}`)
}

const accepts = (answer: Answer) => {
  assert.include([200, 201], answer.status, answer.text)
  return answer.json
}

const credential = { body: { key: "sk-first-000000000000", provider: "openai" } }
const prompt = (content: string) => ({ messages: [{ role: "system", content }] })

for (const [title, store] of Object.entries(stores))
  describe(`storage quotas on ${title}`, () => {
    let installation: Installation
    beforeAll(async () => {
      installation = await Installation.start({ store, door: fetchDoor, settings: { storage: limits } })
    })
    afterAll(() => installation.stop())

    const kept = (world: World, kind: "key" | "preset_version" | "file", workspace_id: string | null = null) =>
      installation.run(Effect.flatMap(StoredAmounts, (port) => port.kept(world.account_id, workspace_id, kind)))

    it("refuses guardrails beyond the quota, and takes another once one was deleted", async () => {
      const world = await installation.newWorld()
      const create = () => world.call("createGuardrail", { body: { name: "one" } })
      const { data } = accepts(await create())
      accepts(await create())
      refuses(await create(), "guardrails_per_account")
      accepts(await world.call("deleteGuardrail", { params: { id: data.id } }))
      accepts(await create())
      refuses(await create(), "guardrails_per_account")
    })

    it("counts what every workspace of the account keeps, and what goes with a workspace", async () => {
      const world = await installation.newWorld()
      const made = accepts(await world.call("createWorkspace", { body: { name: "two", slug: "two" } }))
      refuses(await world.call("createWorkspace", { body: { name: "three", slug: "three" } }), "workspaces_per_account")
      const there = { workspace_id: made.data.id }
      accepts(await world.call("createByokCredential", { body: { ...credential.body, ...there } }))
      accepts(await world.call("createByokCredential", credential))
      refuses(await world.call("createByokCredential", credential), "credentials_per_account")
      accepts(await world.call("deleteWorkspace", { params: { id: made.data.id } }))
      accepts(await world.call("createByokCredential", credential))
      refuses(await world.call("createByokCredential", credential), "credentials_per_account")
      accepts(await world.call("createWorkspace", { body: { name: "four", slug: "four" } }))
    })

    it("counts external users, those that keys register too, and none twice", async () => {
      const world = await installation.newWorld()
      const register = (user: string) => world.call("createExternalUser", { body: { user } })
      const withKey = (user: string) => world.call("createKey", { body: { name: "k", external: { user } } })
      accepts(await register("anna"))
      await world.call("deleteExternalUser", { params: { user: "anna" } })
      accepts(await withKey("bert"))
      refuses(await register("carl"), "external_users_per_account")
      refuses(await withKey("carl"), "external_users_per_account")
      accepts(await withKey("anna"))
      assert.strictEqual((await world.call("listExternalUsers")).json.total_count, 1)
    })

    it("counts keys, those of authorization codes too", async () => {
      const world = await installation.newWorld()
      const code = accepts(
        await world.call("createAuthorizationCode", { body: { callback_url: "https://app.example.com/done" } })
      )
      const { data } = accepts(await world.call("createKey", { body: { name: "three" } }))
      accepts(await world.call("createKey", { body: { name: "four" } }))
      assert.deepEqual(await kept(world, "key"), { rows: 4, bytes: 0 })
      refuses(await world.call("createKey", { body: { name: "five" } }), "keys_per_account")
      const exchange = () => world.call("exchangeAuthorizationCode", { body: { code: code.data.id } })
      refuses(await exchange(), "keys_per_account")
      accepts(await world.call("deleteKey", { params: { hash: data.hash } }))
      accepts(await exchange())
    })

    it("gives a preset exactly as many versions as it may have, whoever comes at once", async () => {
      const world = await installation.newWorld()
      const post = () => world.call("createPreset", { params: { slug: "one" }, body: prompt("") })
      const answers = await Promise.all(Array.from({ length: 8 }, post))
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        3
      )
      for (const answer of answers)
        if (answer.status !== 200) {
          refuses(answer, "versions_per_preset")
          // Nothing deletes a version.
          assert.include(answer.text, "Use another slug, or have the operator raise")
        }
      accepts(await world.call("createPreset", { params: { slug: "two" }, body: prompt("") }))
    })

    it("counts the bytes of all versions of all presets of a workspace", async () => {
      const world = await installation.newWorld()
      const post = (slug: string, content: string) =>
        world.call("createPreset", { params: { slug }, body: prompt(content) })
      accepts(await post("one", "é".repeat(600)))
      assert.deepEqual(await kept(world, "preset_version", world.workspace_id), { rows: 1, bytes: 1_202 })
      refuses(await post("two", "é".repeat(400)), "preset_bytes_per_workspace")
      accepts(await post("two", "é".repeat(390)))
      refuses(await post("one", "é".repeat(10)), "preset_bytes_per_workspace")
    })

    it("keeps a workspace's bytes of presets within the quota, whoever comes at once", async () => {
      const world = await installation.newWorld()
      const post = (_: unknown, index: number) =>
        world.call("createPreset", { params: { slug: `preset-${index}` }, body: prompt("a".repeat(600)) })
      const answers = await Promise.all(Array.from({ length: 16 }, post))
      const refusals = answers.filter(({ status }) => status !== 200)
      assert.lengthOf(refusals, 13)
      for (const answer of refusals) refuses(answer, "preset_bytes_per_workspace")
      assert.deepEqual(await kept(world, "preset_version", world.workspace_id), { rows: 3, bytes: 1_806 })
    })

    it("keeps an account's bytes of files within the quota, whoever comes at once", async () => {
      const world = await installation.newWorld()
      const { account_id, workspace_id } = world
      const outcomes = await installation.run(
        Effect.gen(function* () {
          const files = yield* Files
          const arriving = Array.from({ length: 16 }, () => fileOf(crypto.randomUUID()))
          yield* Effect.forEach(arriving, (file) => files.reserve(account_id, workspace_id, file))
          const facts = { mime_type: "text/plain", size_bytes: 400 }
          return yield* Effect.forEach(arriving, ({ id }) => files.publish(account_id, id, facts, 1_000), {
            concurrency: "unbounded"
          })
        })
      )
      assert.deepEqual(outcomes.toSorted(), [...Array.from({ length: 14 }, () => "full"), "published", "published"])
    })

    it("counts files and their bytes, and takes another once one was deleted", async () => {
      const world = await installation.newWorld()
      const upload = (size: number) => {
        const form = new FormData()
        form.set("file", new File(["a".repeat(size)], "a.txt", { type: "text/plain" }))
        return world.call("uploadFile", { body: form })
      }
      const first = accepts(await upload(500))
      assert.deepEqual(await kept(world, "file", world.workspace_id), { rows: 1, bytes: 500 })
      refuses(await upload(501), "file_bytes_per_account")
      assert.deepEqual(await kept(world, "file"), { rows: 1, bytes: 500 })
      accepts(await upload(500))
      refuses(await upload(1), "files_per_workspace")
      accepts(await world.call("deleteFile", { params: { file_id: first.id } }))
      assert.deepEqual(await kept(world, "file", world.workspace_id), { rows: 1, bytes: 500 })
      accepts(await upload(500))
    })

    it("stores no more responses than the quota, repeats those that it has, and goes on when they have ended", async () => {
      const world = await installation.newWorld()
      const create = (key?: string) =>
        world.call("createPreset", {
          params: { slug: "one" },
          body: prompt(""),
          ...(key === undefined ? {} : { headers: { "idempotency-key": key } })
        })
      const first = accepts(await create("one"))
      refuses(await create("two"), "idempotency_bytes_per_account")
      assert.deepEqual(accepts(await create("one")), first)
      accepts(await create())
      installation.clock.now += 86_400_000
      accepts(await create("two"))
    })

    it("counts every account apart", async () => {
      const [one, two] = [await installation.newWorld(), await installation.newWorld()]
      for (const world of [one, two, one, two]) accepts(await world.call("createGuardrail", { body: { name: "one" } }))
      refuses(await one.call("createGuardrail", { body: { name: "three" } }), "guardrails_per_account")
    })
  })
