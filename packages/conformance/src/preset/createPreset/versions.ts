/** Versions: numbered without gap, designated, dated, and made once under an `Idempotency-Key`. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import { post, read, slug } from "./scene.ts"

export const versions: readonly Case[] = [
  {
    name: "the first version of a new preset",
    status: 200,
    run: (world) => post(world, { model: "openai/gpt-5", temperature: 0.5 }),
    check: async (answer, world) => {
      const preset = answer.json.data
      const version = preset.designated_version
      const now = new Date(world.installation.clock.now).toISOString()
      assert.deepInclude(preset, {
        workspace_id: world.workspace_id,
        name: slug,
        slug,
        description: null,
        status: "active",
        status_updated_at: null,
        creator_user_id: "user-1",
        designated_version_id: version.id,
        created_at: now,
        updated_at: now
      })
      assert.deepEqual(version, {
        id: version.id,
        preset_id: preset.id,
        version: 1,
        config: { model: "openai/gpt-5", temperature: 0.5 },
        system_prompt: "",
        creator_id: "user-1",
        created_at: now,
        updated_at: now
      })
      assert.strictEqual((await read(world)).text, answer.text)
    }
  },
  {
    name: "a second version, by another key",
    status: 200,
    run: async (world) => {
      await post(world, { temperature: 1, top_k: 3 })
      return post(world, { temperature: 0 }, { key: world.managementKey })
    },
    check: async (answer, world) => {
      const preset = answer.json.data
      assert.strictEqual(preset.creator_user_id, "user-1")
      assert.deepInclude(preset.designated_version, { version: 2, config: { temperature: 0 }, creator_id: "system" })
      assert.strictEqual((await read(world)).text, answer.text)
    }
  },
  {
    name: "times: the preset keeps its first, the version has its own",
    status: 200,
    run: async (world) => {
      const first = await post(world)
      world.installation.clock.now += 5_000
      const second = await post(world)
      assert.strictEqual(second.json.data.created_at, first.json.data.created_at)
      assert.strictEqual(second.json.data.id, first.json.data.id)
      assert.strictEqual(Date.parse(second.json.data.updated_at), Date.parse(first.json.data.updated_at) + 5_000)
      assert.strictEqual(second.json.data.designated_version.created_at, second.json.data.updated_at)
      assert.notStrictEqual(second.json.data.designated_version_id, first.json.data.designated_version_id)
      return second
    }
  },
  {
    name: "times never go back from one version to the next",
    status: 200,
    run: async (world) => {
      const first = await post(world)
      world.installation.clock.now -= 5_000
      const second = await post(world)
      world.installation.clock.now += 5_000
      assert.strictEqual(second.json.data.updated_at, first.json.data.updated_at)
      assert.strictEqual(second.json.data.designated_version.created_at, first.json.data.updated_at)
      return second
    }
  },
  {
    name: "the same body twice is two versions",
    status: 200,
    run: async (world) => {
      await post(world)
      return post(world)
    },
    check: ({ json }) => assert.strictEqual(json.data.designated_version.version, 2)
  },
  {
    name: "an Idempotency-Key makes one version",
    status: 200,
    run: async (world) => {
      await post(world, {}, { headers: { "idempotency-key": "once" } })
      return post(world, {}, { headers: { "idempotency-key": "once" } })
    },
    check: async ({ json }, world) => {
      assert.strictEqual(json.data.designated_version.version, 1)
      assert.strictEqual((await read(world)).json.data.designated_version.version, 1)
    }
  },
  {
    name: "many at once: 1, 2, 3 … without gap, the newest designated",
    status: 200,
    run: async (world) => {
      const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => post(world, { seed: index })))
      for (const answer of answers) assert.strictEqual(answer.status, 200, answer.text)
      assert.sameMembers(
        answers.map(({ json }) => json.data.designated_version.version),
        answers.map((_, index) => index + 1)
      )
      assert.strictEqual(new Set(answers.map(({ json }) => json.data.id)).size, 1)
      const newest = await read(world)
      const last = answers.find(({ json }) => json.data.designated_version.version === 12)
      assert.strictEqual(newest.text, last?.text)
      return newest
    }
  }
]
