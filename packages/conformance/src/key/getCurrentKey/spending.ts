/** Keys with limits, and what was spent with them. */
import { assert } from "@effect/vitest"
import type { World } from "../../World.ts"

const day = 86_400_000

/** Turns the clock to noon of the next Wednesday after the 11th, so that day, week and month begin at different times. */
export const toMidMonth = (world: World): number => {
  const { clock } = world.installation
  const noon = (millis: number) => Math.floor(millis / day) * day + day / 2
  for (clock.now = noon(clock.now + day); ; clock.now += day) {
    const now = new Date(clock.now)
    if (now.getUTCDay() === 3 && now.getUTCDate() > 11) return clock.now
  }
}

export interface Spent {
  readonly at: number
  readonly cost_usd: string
  readonly byok_cost_usd: string
}

export const spend = async (world: World, api_key_hash: string, spent: readonly Spent[]) => {
  const events = spent.map(({ at, ...costs }, index) => ({
    id: `${api_key_hash}-${index}`,
    created_at: new Date(at).toISOString(),
    model: "author/model",
    provider: "openai",
    api_key_hash,
    prompt_tokens: 1,
    completion_tokens: 1,
    ...costs
  }))
  const answer = await world.call("recordUsageEvents", { body: { events } })
  assert.strictEqual(answer.status, 200, answer.text)
}

export const newKey = async (world: World, fields: object) =>
  (await world.call("createKey", { body: { name: "Spending", ...fields } })).json
