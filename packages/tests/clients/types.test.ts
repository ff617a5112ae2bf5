/** The types of the client, held by the compiler: each line that must not compile is expected not to. */
import { assert, expectTypeOf, it } from "vitest"
import { createClient, type Client } from "@gatewarden/client"
import type { Guardrail, RankingsDaily } from "@gatewarden/contract/internal"

const compiled = async (client: Client): Promise<void> => {
  expectTypeOf((await client.createGuardrail({ body: { name: "x" } })).data).toEqualTypeOf<Guardrail>()
  expectTypeOf(await client.getRankingsDaily()).toEqualTypeOf<RankingsDaily>()
  const reply = await client.call("getRankingsDaily")
  if (reply.status === 304) expectTypeOf(reply.body).toEqualTypeOf<undefined>()
  else expectTypeOf(reply.body).toEqualTypeOf<RankingsDaily>()
  await client.listKeys({ query: { include_disabled: true } })
  await client.listGuardrails({ query: { limit: 5, offset: "5" } })
  // @ts-expect-error a limit is no date
  await client.listGuardrails({ query: { limit: new Date(0) } })
  // @ts-expect-error an interval is one of three
  await client.createGuardrail({ body: { name: "x", limit_usd: 1, reset_interval: "hourly" } })
  // @ts-expect-error a body is required
  await client.createGuardrail()
  // @ts-expect-error a guardrail is named by its id
  await client.getGuardrail({ params: { guardrail_id: "x" } })
  // @ts-expect-error no such operation
  await client.createGuardrails({ body: {} })
}

it("compiles, and compiles nothing else", () => {
  assert.isFunction(compiled)
  assert.isFunction(createClient({ baseUrl: "http://127.0.0.1" }).createGuardrail)
})
