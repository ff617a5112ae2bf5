import { reasons } from "@gatewarden/contract"
import { assert, describe, it } from "@effect/vitest"
import { deadKey, malformedAuthorization, missingKey } from "../../core/src/access/authenticate.ts"
import type { AuthenticatedKey } from "../../core/src/ports/keys.ts"

const said = ({ reason, issues }: ReturnType<typeof missingKey>) => [reason, issues?.[0]?.path, issues?.[0]?.message]

const key: AuthenticatedKey = {
  hash: "0".repeat(64),
  account_id: "a",
  kind: "management",
  workspace_id: null,
  user_id: null,
  external_user: null,
  creator_user_id: null,
  issued_by: null,
  name: "key",
  label: "gwm-v1-abc...xyz",
  disabled: false,
  limit: null,
  limit_reset: null,
  include_byok_in_limit: false,
  expires_at: "2026-01-05T09:00:00.000Z",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: null,
  revoked_at: null,
  restrictions: null,
  default_workspace_id: null,
  is_operator: false,
  is_suspended: false,
  secrets: []
}

describe("why a request is not let in", () => {
  it("finds the key where other APIs take theirs", () => {
    for (const [headers, url, reason, path] of [
      [{}, "/key", "missing_authentication", "header.authorization"],
      [{}, "/key?keys=1", "missing_authentication", "header.authorization"],
      [{ "x-api-key": "s3cret" }, "/key", "misplaced_api_key", "header.x-api-key"],
      [{ "api-key": "s3cret" }, "/key", "misplaced_api_key", "header.api-key"],
      [{ "x-goog-api-key": "s3cret" }, "/key", "misplaced_api_key", "header.x-goog-api-key"],
      [{}, "/key?api_key=s3cret", "misplaced_api_key", "query.api_key"],
      [{}, "/key?a=1&access_token=s3cret", "misplaced_api_key", "query.access_token"],
      [{}, "/key?key=%zz", "misplaced_api_key", "query.key"]
    ] as const) {
      const refusal = missingKey({ headers, url })
      assert.deepEqual(said(refusal).slice(0, 2), [reason, path], url)
      assert.notInclude(JSON.stringify(refusal), "s3cret")
    }
  })

  it("tells what is wrong with a header", () => {
    for (const [authorization, words] of [
      ["", "empty"],
      ["Bearer", "No key follows"],
      ["Bearer ", "No key follows"],
      ["s3cret", "The word Bearer before the key is missing"],
      ["Basic s3cret", "The scheme is not Bearer"],
      ["Token s3cret", "The scheme is not Bearer"],
      ["Bearer s3cret s3cret", "spaces"],
      ["Bearer s3crét", "visible ASCII"],
      ["Bearer s3cret, Bearer s3cret", "Several Authorization headers"]
    ] as const) {
      const [reason, path, message] = said(malformedAuthorization(authorization))
      assert.deepEqual([reason, path], ["malformed_authentication", "header.authorization"])
      assert.include(message, words, authorization)
      assert.notInclude(message, "s3c")
    }
  })

  // The server does not know whether one did.
  it("tells a revoked key of no key that replaced it", () => {
    const [, , message] = said(deadKey({ ...key, revoked_at: "2026-01-03T00:00:00.000Z" }))
    assert.strictEqual(message, "The key was revoked at 2026-01-03T00:00:00.000Z. Use another key")
    for (const text of [message, reasons.revoked_api_key.remedy]) assert.notMatch(text ?? "", /replace|successor/)
  })

  it("tells a revoked key from an expired one and from a disabled one", () => {
    assert.strictEqual(deadKey(key).reason, "expired_api_key")
    assert.strictEqual(deadKey({ ...key, updated_at: "2026-01-02T00:00:00.000Z" }).reason, "expired_api_key")
    assert.strictEqual(deadKey({ ...key, updated_at: key.expires_at }).reason, "expired_api_key")
    assert.strictEqual(deadKey({ ...key, revoked_at: key.expires_at }).reason, "revoked_api_key")
    assert.strictEqual(deadKey({ ...key, disabled: true, is_suspended: true }).reason, "account_suspended")
    assert.strictEqual(deadKey({ ...key, disabled: true }).reason, "disabled_api_key")
    assert.strictEqual(
      deadKey({ ...key, disabled: true, expires_at: null, updated_at: null }).reason,
      "disabled_api_key"
    )
  })
})
