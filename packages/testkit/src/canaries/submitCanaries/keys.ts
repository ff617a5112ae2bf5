/** API keys that a host brings, and those that are made. */
import type { CanarySender } from "../CanarySender.ts"

export const keys = async ({ send, take, any }: CanarySender): Promise<void> => {
  const given = take()
  const body = { name: "given", external: { user: "end user", api_key: given }, token: any() }
  const headers = { "idempotency-key": "given-key" }
  for (let time = 0; time < 2; time++) await send("POST", "/keys", "accepted", { body, headers })
  await send("POST", "/keys", 400, { body })
  const damaged = { name: "damaged", external: { user: "end user", api_key: `gw-v1-${any()}` } }
  await send("POST", "/keys", 400, { body: damaged })
  await send("POST", "/keys", 400, { body: { name: "spoiled", limit: any(), external: { user: 1, api_key: any() } } })
  await send("POST", "/keys", "accepted", { body: { name: "made" }, headers: { "idempotency-key": "made-key" } })
  await send("POST", "/keys", "accepted", { body: { name: "made" }, headers: { "idempotency-key": "made-key" } })
  await send("GET", "/key", "accepted", { key: given })
  await send("GET", "/workspaces/default", "accepted", { key: given })
  await send("POST", "/byok", 403, { key: given, body: { key: any(), provider: "openai" } })
  await send("GET", "/key", "accepted")
}
