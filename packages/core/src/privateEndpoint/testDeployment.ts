/**
 * Sends a test request to a deployment, with a BYOK credential of a workspace. Rule: models#private-endpoints, operating#outgoing-calls.
 *
 * What the deployment says is not repeated, apart from its status and the name of its model.
 */
import type { PrivateEndpointValidation } from "@gatewarden/contract/internal"
import { Effect, Redacted, Result } from "effect"
import { ByokCredentials, contextOfKey } from "../ports/byok.ts"
import { sentKey } from "../byok/byok.ts"
import { OutgoingFetch } from "../platform/OutgoingFetch.ts"
import { sendRequest } from "../platform/sendRequest.ts"
import { Vault } from "../vault/Vault.ts"

const testMillis = 10_000
const maxAnswerBytes = 1_048_576
const longestName = 512

type Check = PrivateEndpointValidation["checks"][number]

/** The key of the first credential for the provider that is not disabled, whoever may use it. */
const keyOf = Effect.fnUntraced(function* (account_id: string, workspace_id: string, provider: string) {
  const sealed = yield* (yield* ByokCredentials).sealed(account_id, workspace_id, provider)
  const [first] = sealed
    .filter(({ disabled }) => !disabled)
    .sort((a, b) => Number(a.is_fallback) - Number(b.is_fallback) || a.sort_order - b.sort_order)
  if (first === undefined) return undefined
  // A key that the keyring cannot decrypt is a fault of the installation, not of the request.
  const key = yield* Effect.orDie((yield* Vault).open(first.sealed_key, contextOfKey(account_id, first)))
  return sentKey(provider, key)
})

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

const parsed = (body: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

/** What the answer of the deployment shows, one check after the other. */
const checksOf = (status: number, body: Uint8Array, model: string): readonly Check[] => {
  if (status < 200 || status > 299)
    return [
      {
        name: "auth_ok",
        passed: false,
        reason: "upstream_error",
        ...(status >= 400 && status <= 599 ? { upstream_status: status } : {})
      }
    ]
  const answer = parsed(body)
  const choices = answer?.["choices"]
  const reached: Check = { name: "auth_ok", passed: true }
  if (!Array.isArray(choices) || choices.length === 0)
    return [reached, { name: "response_valid", passed: false, reason: "invalid_response" }]
  const usage = (answer?.["usage"] ?? {}) as Readonly<Record<string, unknown>>
  const isMeasured = isCount(usage["prompt_tokens"]) && isCount(usage["completion_tokens"])
  const actual = answer?.["model"]
  return [
    reached,
    {
      name: "response_valid",
      passed: true,
      ...(typeof actual === "string" && actual !== model ? { actual_model: actual.slice(0, longestName) } : {})
    },
    { name: "usage_reported", passed: isMeasured, ...(isMeasured ? {} : { reason: "missing_usage" as const }) }
  ]
}

export const testDeployment = Effect.fnUntraced(function* (
  account_id: string,
  workspace_id: string,
  provider: string,
  base_url: string,
  model: string
) {
  const key = yield* keyOf(account_id, workspace_id, provider)
  if (key === undefined) return failing({ name: "credential", passed: false, reason: "no_byok_key" })
  const body = new TextEncoder().encode(
    JSON.stringify({ model, messages: [{ role: "user", content: "Reply with OK." }], max_tokens: 16 })
  )
  const answer = yield* Effect.result(
    sendRequest(yield* OutgoingFetch, {
      url: `${base_url}/chat/completions`,
      method: "POST",
      headers: {
        authorization: `Bearer ${Redacted.value(key)}`,
        "content-type": "application/json",
        "user-agent": "gatewarden"
      },
      body,
      timeoutMillis: testMillis,
      maxBytes: maxAnswerBytes
    })
  )
  const credential: Check = { name: "credential", passed: true }
  if (Result.isFailure(answer)) return failing(credential, { name: "auth_ok", passed: false, reason: "upstream_error" })
  const checks = [credential, ...checksOf(answer.success.status, answer.success.body, model)]
  const validation: PrivateEndpointValidation = { passed: checks.every(({ passed }) => passed), checks }
  return validation
})

const failing = (...checks: readonly Check[]): PrivateEndpointValidation => ({ passed: false, checks: [...checks] })
