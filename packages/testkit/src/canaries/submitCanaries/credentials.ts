/** Credentials of upstream providers: made, repeated, changed and refused. */
import { type CanarySender, nobody } from "../CanarySender.ts"

export const credentials = async ({ send, take, any }: CanarySender): Promise<void> => {
  const json = `{"type":"service_account","private_key":"${take()}"}`
  for (const [key, provider] of [
    [take(), "mistral"],
    [`sk-${take()}`, "groq"],
    [json, "google-vertex"]
  ] as const) {
    const headers = { "idempotency-key": `byok-${provider}` }
    const { json: made } = await send("POST", "/byok", "accepted", { body: { key, provider }, headers })
    await send("POST", "/byok", "accepted", { body: { key, provider }, headers })
    await send("POST", "/byok", 400, { body: { key: take(), provider }, headers })
    const path = `/byok/${made.data.id}`
    await send("PATCH", path, "accepted", { body: { key: take() } })
    await send("PATCH", path, "accepted", { body: { name: "renamed", token: any(), [any()]: any() } })
    await send("GET", path, "accepted")
    for (const broken of [
      { name: 1 },
      { allowed_api_key_hashes: ["0".repeat(64)] },
      { is_byok_only: true, is_fallback: true }
    ])
      await send("PATCH", path, 400, { body: { key: any(), ...broken } })
    if (provider === "groq") await send("DELETE", path, "accepted")
  }
  const key = take()
  for (const broken of [
    { provider: any() },
    { provider: "openai", name: `${any()}${"x".repeat(256)}` },
    { provider: "openai", workspace_id: nobody },
    { provider: "openai", workspace_id: any() },
    { provider: "openai", allowed_api_key_hashes: [any()] },
    { provider: "openai", allowed_models: [{ [any()]: any() }] },
    { provider: "openai", key: [any()] },
    { provider: "openai", key: { secret: any() } },
    {}
  ])
    await send("POST", "/byok", 400, { body: { key, ...broken } })
  await send("PATCH", `/byok/${nobody}`, 404, { body: { key } })
  await send("GET", "/byok", "accepted")
}
