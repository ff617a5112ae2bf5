/** Authorization codes, their challenges and verifiers. */
import { createHash } from "node:crypto"
import type { CanarySender, Expected } from "../CanarySender.ts"

const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url")

export const codes = async ({ send, take, any }: CanarySender): Promise<void> => {
  let apps = 0
  const create = async (more: object, expected: Expected = "accepted") => {
    const body = { callback_url: `https://app-${++apps}.example.com/callback`, ...more }
    return (await send("POST", "/auth/keys/code", expected, { body })).json?.data?.id as string
  }
  const exchange = (expected: Expected, body: object) => send("POST", "/auth/keys", expected, { key: null, body })
  for (const method of ["plain", "S256"] as const) {
    const challenge = (verifier: string) => ({
      code_challenge: method === "plain" ? verifier : challengeOf(verifier),
      code_challenge_method: method
    })
    const verifier = take()
    const code = await create(challenge(verifier))
    await exchange("accepted", { code, code_verifier: verifier })
    await exchange(403, { code, code_verifier: verifier })
    const burnt = await create(challenge(take()))
    await exchange(403, { code: burnt, code_verifier: take() })
    await exchange(403, { code: burnt, code_verifier: any() })
    const unproven = await create(challenge(take()))
    await exchange(403, { code: unproven })
    const twice = { callback_url: "https://twice.example.com/", ...challenge(take()) }
    await create(twice)
    await create(twice, 409)
  }
  const headers = { "idempotency-key": "code" }
  const body = { callback_url: "https://again.example.com/", code_challenge: take(), code_challenge_method: "plain" }
  await send("POST", "/auth/keys/code", "accepted", { body, headers })
  await send("POST", "/auth/keys/code", "accepted", { body, headers })
  await create({ code_challenge: any(), code_challenge_method: "S256" }, 400)
  await create({ code_challenge: [any()] }, 400)
  await create({ callback_url: `https://user:${any()}@app.example.com/` }, 400)
  await create({ callback_url: `https://app.example.com/#${any()}` }, 400)
  await exchange(403, { code: take(), code_verifier: any() })
  await exchange(400, { code: [any()], code_verifier: { [any()]: any() } })
  await exchange(400, { verifier: any() })
}
