/** Destinations of every type, with a secret in each field that holds one. */
import { destinationTypes } from "@gatewarden/contract/internal"
import { destinationConfigs } from "@gatewarden/conformance/internal/destination/destinationConfigs"
import type { CanarySender } from "../CanarySender.ts"

export const destinations = async ({ send, take, any }: CanarySender): Promise<void> => {
  for (const { type, secrets } of destinationTypes) {
    const config = () => ({
      ...destinationConfigs[type].sent,
      ...Object.fromEntries(Object.keys(secrets).map((field) => [field, take()])),
      headers: { Authorization: `Bearer ${take()}`, "X-Api-Key": any() },
      token: any()
    })
    const replaced = () => ({
      ...Object.fromEntries(Object.keys(secrets).map((field) => [field, any()])),
      headers: { Authorization: `Bearer ${any()}` },
      token: any()
    })
    const headers = { "idempotency-key": `destination-${type}` }
    const body = { type, config: config(), password: any() }
    const made = await send("POST", "/observability/destinations", "accepted", { body, headers })
    await send("POST", "/observability/destinations", "accepted", { body, headers })
    const path = `/observability/destinations/${made.json.data.id}`
    await send("PATCH", path, "accepted", { body: { config: { ...made.json.data.config, headers: { A: any() } } } })
    await send("PATCH", path, "accepted", { body: { config: replaced(), password: any() } })
    await send("PATCH", path, 400, { body: { config: { ...replaced(), headers: { A: [any()] } } } })
    await send("PATCH", path, 400, { body: { config: any() } })
    await send("GET", path, "accepted")
    await send("DELETE", path, "accepted")
    await send("POST", "/observability/destinations", 400, { body: { ...body, sampling_rate: any() } })
    const spoiled = { ...config(), headers: { Authorization: [any()], [`${any()} `]: any() } }
    await send("POST", "/observability/destinations", 400, { body: { type, config: spoiled } })
    await send("POST", "/observability/destinations", 400, { body: { type: any(), config: body.config } })
  }
  const hook = () => ({ type: "webhook", config: { url: "https://example.com", headers: { A: any() } } })
  for (let count = 0; count < 5; count++)
    await send("POST", "/observability/destinations", "accepted", { body: hook() })
  await send("POST", "/observability/destinations", 409, { body: hook() })
  await send("GET", "/observability/destinations", "accepted")
}
