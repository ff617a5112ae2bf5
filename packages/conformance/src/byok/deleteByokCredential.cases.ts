import { assert } from "@effect/vitest"
import { ask, openMarket } from "../admission/admissionWorld.ts"
import { type CasesOf, outcomeUnknown, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"
import { byokCases, newCredential, nobody } from "./byokCases.ts"

const remove = (world: World, id: string) => world.call("deleteByokCredential", { params: { id } })

export const deleteByokCredential: CasesOf = {
  operation: "deleteByokCredential",
  cases: [
    {
      name: "gone from every list, and the others keep their places",
      status: 200,
      run: async (world) => {
        const [first, second, third] = [
          await newCredential(world),
          await newCredential(world),
          await newCredential(world)
        ]
        const answer = await remove(world, second.id)
        const listed = await world.call("listByokCredentials")
        assert.sameDeepMembers(listed.json.data, [first, third])
        assert.strictEqual(listed.json.total_count, 2)
        const ofProvider = await world.call("listByokCredentials", { query: { provider: "openai" } })
        assert.deepEqual(ofProvider.json, listed.json)
        assert.strictEqual((await newCredential(world)).sort_order, 3)
        return answer
      },
      check: ({ json }) => assert.deepEqual(json, { deleted: true })
    },
    {
      name: "no longer a candidate of admissions",
      status: 200,
      run: async (world) => {
        const { sonnet } = await openMarket(world)
        const { id } = await newCredential(world)
        const own = async () =>
          (await ask(world, { model: sonnet })).json.data.candidates.filter(
            ({ byok_id }: { byok_id: string | null }) => byok_id === id
          )
        assert.isNotEmpty(await own())
        const answer = await remove(world, id)
        assert.isEmpty(await own())
        return answer
      }
    },
    {
      name: "an idempotent repetition of its creation shows what it showed",
      status: 200,
      run: async (world) => {
        const create = () =>
          world.call("createByokCredential", {
            body: { key: "sk-0123456789abcdefghijklmnopqrstuvwxyz", provider: "openai" },
            headers: { "idempotency-key": "once" }
          })
        const made = await create()
        const answer = await remove(world, made.json.data.id)
        const repeated = await create()
        assert.strictEqual(repeated.text, made.text)
        assert.notInclude(repeated.text, "0123456789")
        assert.deepEqual((await world.call("listByokCredentials")).json.data, [])
        return answer
      }
    },
    {
      name: "deleted and changed at once: it is gone",
      status: 200,
      run: async (world) => {
        const { id } = await newCredential(world)
        const [answer, changed, moved] = await Promise.all([
          remove(world, id),
          world.call("updateByokCredential", { params: { id }, body: { key: "another" } }),
          world.call("updateByokCredential", { params: { id }, body: { is_fallback: true } })
        ])
        for (const { status } of [changed, moved]) assert.include([200, 404], status)
        assert.strictEqual((await world.call("getByokCredential", { params: { id } })).status, 404)
        return answer
      }
    },
    {
      name: "deleted twice at once: one of the two",
      status: 200,
      run: async (world) => {
        const { id } = await newCredential(world)
        const answers = await Promise.all([remove(world, id), remove(world, id)])
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
        return answers.find(({ status }) => status === 200) ?? assert.fail()
      }
    },
    ...byokCases("deleteByokCredential"),
    storeGone("ByokCredentials", 500, (world) => remove(world, nobody)),
    outcomeUnknown("ByokCredentials", (world) => remove(world, nobody))
  ]
}
