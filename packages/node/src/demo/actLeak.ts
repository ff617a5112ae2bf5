/** Act 3: what is secret does not leave; the answer comes back as if it had; without its detector nothing leaves. */
import type { Stage } from "./Stage.ts"

const secrets = {
  email: "ada@example.com",
  card: "4111 1111 1111 1111",
  token: `ghp_${"aB3dE6gH9jK2mN5pQ8rS".repeat(2).slice(0, 36)}`,
  name: "Ada Lovelace"
} as const

const prompt = `I am ${secrets.name}, mail ${secrets.email}, card ${secrets.card}, token ${secrets.token}.`

export const actLeak = async (stage: Stage): Promise<void> => {
  const { screen, manage, newKey, newWorkspace, provider, analyzer } = stage
  screen.act(
    "3  Leak",
    "A prompt with a name, an e-mail address, a card and a token, under a guardrail that redacts all four."
  )
  const workspace = await newWorkspace("support")
  await manage("PATCH", `/guardrails/${workspace.default_guardrail_id}`, {
    content_filter_builtins: ["person-name", "email", "credit-card", "secrets"].map((slug) => ({
      slug,
      action: "redact"
    }))
  })
  const { key } = await newKey({ name: "support", workspace_id: workspace.id })
  const ask = async () => {
    const answer = await fetch(`${stage.origin}/chat`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({
        model: "acme/small",
        messages: [{ role: "user", content: prompt }],
        max_completion_tokens: 100,
        reversible_redaction: true
      })
    })
    return { status: answer.status, text: await answer.text() }
  }
  const before = provider.seen().length
  const { text } = await ask()
  const seen = provider.seen().slice(before).join("\n")
  screen.table(
    ["", ""],
    [
      ["sent", prompt],
      [
        "the provider saw",
        { text: seen, tone: Object.values(secrets).some((secret) => seen.includes(secret)) ? "bad" : "good" }
      ],
      ["came back", text]
    ]
  )
  const leaked = Object.values(secrets).filter((secret) => seen.includes(secret))
  screen.claim(
    "nothing secret reaches the provider",
    seen !== "" && leaked.length === 0,
    `${leaked.length} of 4 values`
  )
  screen.claim(
    "the answer is restored, though it came in pieces that cut placeholders",
    text === `You wrote: ${prompt}`,
    "sent in pieces of 5 characters"
  )

  await analyzer.kill()
  const calls = provider.seen().length
  const refused = await ask()
  const { error } = JSON.parse(refused.text) as { readonly error: { readonly message: string } }
  screen.claim(
    "its detector killed, the request is refused",
    refused.status === 403 && provider.seen().length === calls,
    `${refused.status} ${error.message}`
  )
}
