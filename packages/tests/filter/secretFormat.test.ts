import { assert, describe, it } from "@effect/vitest"
import { secretFormat } from "../../core/src/filter/builtins/secretShapes.ts"

const body = "a1B2c3D4".repeat(6)

describe("the format of a secret", () => {
  for (const [secret, format] of [
    [`AKIA${"A".repeat(16)}`, "aws-access-key-id"],
    [`ghp_${body}`, "github-token"],
    [`github_pat_${body}`, "github-fine-grained-pat"],
    [`glpat-${body}`, "gitlab-personal-access-token"],
    [`sk-proj-${body}T3BlbkFJ${body}`, "openai-api-key"],
    [`sk-${body}T3BlbkFJ${body}`, "openai-legacy-api-key"],
    [`sk-ant-api03-${body}AA`, "anthropic-api-key"],
    [`sk-or-v1-${"0a".repeat(32)}`, "openrouter-api-key"],
    [`rk_live_${body}`, "stripe-secret-key"],
    [`xoxb-123-${body}`, "slack-token"],
    [`xoxa-${body}`, "slack-legacy-workspace-token"],
    [`hooks.slack.com/services/${body}`, "slack-webhook-url"],
    [`SG.${body}.${body}`, "sendgrid-api-key"],
    [`123456789:AA${body}`, "telegram-bot-token"],
    [`eyJ${body}.eyJ${body}.${body}`, "json-web-token"],
    ["-----BEGIN RSA PRIVATE KEY-----", "private-key-block"],
    [`dop_v1_${"0a".repeat(32)}`, "digitalocean-token"],
    [`sk-${body}`, undefined],
    [`xoxe-${body}`, undefined],
    [`Bearer ${body}`, undefined],
    ["s k - a n t", undefined]
  ] as const)
    it(`${secret.slice(0, 14)}…: ${format ?? "none"}`, () => {
      assert.strictEqual(secretFormat(secret), format)
    })
})
