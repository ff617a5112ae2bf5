/** What the documentation shows as an example is true: it is sent, and both it and the answer keep to the schema. */
import { type OperationId, operations, type OperationShape } from "@gatewarden/contract"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { fetchDoor } from "@gatewarden/conformance/internal/doors"
import { preparations } from "@gatewarden/testkit/http/preparations"
import { Installation } from "@gatewarden/conformance/internal/Installation"
import { stores } from "@gatewarden/testkit/stores/stores"

let installation: Installation
beforeAll(async () => {
  installation = await Installation.start({ store: stores.memory, door: fetchDoor })
})
afterAll(() => installation?.stop())

/** Members of the example's answer that the real one lacks, by path. */
const missingFrom = (real: unknown, shown: unknown, path = ""): readonly string[] => {
  if (typeof shown !== "object" || shown === null || Array.isArray(shown)) return []
  if (typeof real !== "object" || real === null) return [path]
  return Object.entries(shown).flatMap(([name, member]) =>
    Object.hasOwn(real, name)
      ? missingFrom(real[name as keyof typeof real], member, `${path}.${name}`)
      : [`${path}.${name}`]
  )
}

describe("declared examples", () => {
  for (const operation of operations as readonly OperationShape[]) {
    const { example, id, success } = operation

    it(`${id}: the answer shown is one`, () => {
      if (success.bytes) return assert.isUndefined(example.response)
      // Strict: an example does not show fields that the schema does not have.
      const parsed = success.schema.safeParse(example.response)
      assert.isTrue(parsed.success, parsed.error?.message)
      assert.deepEqual(parsed.data, example.response)
    })

    it(`${id}: the request shown succeeds`, async () => {
      const world = await installation.newWorld()
      const prepared = (await preparations[id as OperationId]?.(world)) ?? {}
      const { params, query, body } = example
      const answer = await world.call(id as OperationId, {
        ...(params === undefined ? {} : { params }),
        ...(query === undefined ? {} : { query }),
        ...(body === undefined ? {} : { body }),
        ...prepared
      })
      assert.strictEqual(answer.status, success.status ?? 200, answer.text)
      if (!success.bytes) assert.deepEqual(missingFrom(answer.json, example.response), [])
    })
  }
})
