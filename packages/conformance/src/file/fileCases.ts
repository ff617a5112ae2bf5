/** What the cases of files have in common: uploads, credentials, and providers that fail. */
import { sweepStaleFiles } from "@gatewarden/core/internal"
import { FileContents } from "@gatewarden/core/store"
import { assert } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"
import { regionalKey } from "../byok/declaredRegions.ts"
import type { Answer, Call, World } from "../World.ts"
import { type Case, reasonIs } from "../http/Case.ts"
import { formOf } from "./fileBytes.ts"

export const unknownId = "00000000-0000-4000-8000-000000000000"
export const publicClient = { "user-agent": "speakeasy-sdk/typescript 1.3.19 2.914.0 1.0.0 @openrouter/sdk" }

export const upload = (world: World, call: Call = {}): Promise<Answer> =>
  world.call("uploadFile", { body: formOf("notes.txt", "Hello"), ...call })

/** The id of a new file in the default workspace, or in the one that the call names. */
export const newFile = async (world: World, call: Call = {}): Promise<string> => {
  const answer = await upload(world, call)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json.id
}

export const secondWorkspace = async (world: World): Promise<string> =>
  (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id

export const contentOf = (world: World, id: string): Promise<Uint8Array | undefined> =>
  world.installation.run(
    Effect.gen(function* () {
      const content = Option.getOrUndefined(yield* (yield* FileContents).get(id))
      if (content === undefined) return undefined
      // A Worker has no Buffer.
      const whole = new Blob((yield* Stream.runCollect(content)).map((chunk) => new Uint8Array(chunk)))
      return new Uint8Array(yield* Effect.promise(() => whole.arrayBuffer()))
    }).pipe(Effect.scoped)
  )

/** Removes what nobody sees any more, as background work does. */
export const removeStale = (world: World): Promise<void> =>
  world.installation.run(Effect.asVoid(Effect.repeat(sweepStaleFiles, { while: (removed) => removed > 0 })))

/** A key of the world's own for a provider that behaves so (`file/fileProviders.ts`). */
const upstreamKey = (world: World, behaviour: string): string => `sk-${behaviour}-${world.account_id}`

export const bringKey = async (
  world: World,
  behaviour: string,
  fields: Readonly<Record<string, unknown>> = {}
): Promise<string> => {
  const key = upstreamKey(world, behaviour)
  const answer = await world.call("createByokCredential", { body: { key, provider: "openai", ...fields } })
  assert.strictEqual(answer.status, 200, answer.text)
  return key
}

/** What a provider's store may do in place of an answer. */
export const failingBehaviours = [
  "refused",
  "failing",
  "limited",
  "empty",
  "babbling",
  "mistaken",
  "sneaky",
  "undecided",
  "endless",
  "moved",
  "broken",
  "gone"
] as const

/** Every way in which the provider fails, or answers what is no answer, is 502; the key is never shown. */
export const providerFails = (
  run: (world: World) => Promise<Answer>,
  behaviours: readonly string[] = failingBehaviours
): readonly Case[] =>
  behaviours.map((behaviour) => ({
    name: `the provider is ${behaviour}`,
    status: 502,
    run: async (world) => {
      await bringKey(world, behaviour)
      return run(world)
    },
    check: async (answer, world) => {
      assert.strictEqual(answer.json.error.metadata.reason, "provider_failed")
      assert.notInclude(answer.text, upstreamKey(world, behaviour))
      assert.strictEqual((await world.installation.upstream.useOf(upstreamKey(world, behaviour))).calls, 1)
    }
  }))

/** Whose credential is used, if any: `run` asks for a file of the provider `openai`. */
export const credentialCases = (run: (world: World) => Promise<Answer>): readonly Case[] => {
  const none = (name: string, prepare: (world: World) => Promise<unknown>): Case => ({
    name: `no usable credential: ${name}`,
    status: 404,
    run: async (world) => {
      await prepare(world)
      return run(world)
    },
    check: reasonIs("no_byok_credential")
  })
  return [
    none("none at all", async () => {}),
    none("of another provider", (world) => bringKey(world, "well", { provider: "anthropic" })),
    none("deleted", async (world) => {
      await bringKey(world, "well")
      const [{ id }] = (await world.call("listByokCredentials")).json.data
      await world.call("deleteByokCredential", { params: { id } })
    }),
    none("disabled", (world) => bringKey(world, "well", { disabled: true })),
    none("for certain models", (world) => bringKey(world, "well", { allowed_models: ["openai/gpt-5"] })),
    none("for no model", (world) => bringKey(world, "well", { allowed_models: [] })),
    none("for other users", (world) => bringKey(world, "well", { allowed_user_ids: ["user-9"] })),
    none("for nobody", (world) => bringKey(world, "well", { allowed_user_ids: [] })),
    none("for another key", async (world) => {
      const other = await world.call("createKey", { body: { name: "other" } })
      await bringKey(world, "well", { allowed_api_key_hashes: [other.json.data.hash] })
    }),
    none("of another workspace", async (world) =>
      bringKey(world, "well", { workspace_id: await secondWorkspace(world) })
    ),
    ...["europe", "us"].map((region) =>
      none(`of an account in a region: ${region}`, async (world) => {
        const api_key = await bringKey(world, "well", { disabled: true })
        await bringKey(world, "well", { key: regionalKey(region, api_key) })
      })
    ),
    none("of another account", async (world) => bringKey(await world.other(), "well"))
  ]
}
