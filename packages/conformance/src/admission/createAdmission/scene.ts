/** A market, what its keys ask of it, and what is expected of the answers. */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../../World.ts"
import { ask, openMarket, providersOf } from "../admissionWorld.ts"
import type { Case } from "../../http/Case.ts"

/** A request of the world's key for the market's sonnet, after `prepare`. */
export const case200 = (
  name: string,
  request: (market: { readonly sonnet: string; readonly mini: string }, world: World) => object | Promise<object>,
  check: NonNullable<Case["check"]>,
  prepare: (world: World) => Promise<unknown> = () => Promise.resolve()
): Case => ({
  name,
  status: 200,
  run: async (world) => {
    const market = await openMarket(world)
    await prepare(world)
    return ask(world, { ...(await request(market, world)) })
  },
  check
})

export const sonnet = ({ sonnet: model }: { readonly sonnet: string }) => ({ model })

type CheckAtOnce = (answer: Answer, world: World) => void

export const denies =
  (status: number, reasons: readonly object[]): CheckAtOnce =>
  ({ json: { data } }) => {
    assert.deepInclude(data, { decision: "deny", status, candidates: [], holds: [], expires_at: null })
    assert.strictEqual(data.error.code, status)
    assert.deepEqual(data.reasons, reasons)
    // Each with a sentence, in the same order.
    assert.deepEqual(
      data.issues.map(({ path, code }: { path: string; code: string }) => [path, code]),
      data.reasons.map(({ field, scope }: { field: string; scope: string }) => [field, scope])
    )
    for (const { message } of data.issues) assert.match(message, /^.{15,}\.$/)
  }

export const byDefault = (world: World, field: string, value: unknown) => ({
  scope: "workspace",
  guardrail_id: world.default_guardrail_id,
  field,
  value
})

export const goes =
  (...providers: readonly string[]): CheckAtOnce =>
  (answer) => {
    assert.strictEqual(answer.json.data.decision, "allow")
    assert.deepEqual(providersOf(answer), providers)
    assert.deepInclude(answer.json.data, { status: null, error: null, reasons: [] })
  }
