/** Act 2: why a call is denied, what would have to change, and what a change would have blocked. */
import type { PolicyEdit } from "@gatewarden/contract/internal"
import { formatUsd } from "@gatewarden/core/store"
import { largeProviders, retaining } from "./catalog.ts"
import { costOf } from "./prices.ts"
import type { Stage } from "./Stage.ts"
import { dayMillis } from "@gatewarden/core/internal"

const model = "acme/large"
/** Lists as a reader would write them, cut at a whole name. */
const brief = (value: unknown): string => {
  if (!Array.isArray(value)) return JSON.stringify(value) ?? "unset"
  const names = value.map(String)
  const shown = names.slice(0, 5)
  return [...shown, ...(shown.length < names.length ? [`and ${names.length - shown.length} more`] : [])].join(", ")
}

/** A workspace with a policy at each of three levels, none of which names the others. */
const restrictedKey = async ({ manage, newKey, newWorkspace }: Stage) => {
  const workspace = await newWorkspace("research")
  const guardrail = async (name: string, fields: object) =>
    (
      await manage<{ readonly data: { readonly id: string } }>("POST", "/guardrails", {
        name,
        workspace_id: workspace.id,
        ...fields
      })
    ).data.id
  await manage("PATCH", `/guardrails/${workspace.default_guardrail_id}`, {
    enforce_zdr: true,
    ignored_providers: ["azure"]
  })
  const member = await guardrail("Grace", { allowed_models: ["acme/small"] })
  const own = await guardrail("Batch jobs", { allowed_providers: ["azure", ...retaining] })
  const key = await newKey({ name: "batch", workspace_id: workspace.id, creator_user_id: "grace" })
  await manage("POST", `/guardrails/${member}/assignments/members`, { member_user_ids: ["grace"] })
  await manage("POST", `/guardrails/${own}/assignments/keys`, { key_hashes: [key.hash] })
  return {
    key,
    names: new Map([
      [workspace.default_guardrail_id, "workspace"],
      [member, "Grace"],
      [own, "Batch jobs"]
    ])
  }
}

const explainDenial = async (stage: Stage): Promise<void> => {
  const { screen, gatewarden, manage } = stage
  const { key, names } = await restrictedKey(stage)
  const asked = { api_key: key.key, model }
  const decides = async () => {
    const { decision, id } = await gatewarden.admit(asked)
    if (decision === "allow") await gatewarden.cancel(id)
    return decision
  }
  const apply = (edits: readonly PolicyEdit[], side: "from" | "to") =>
    Promise.all(
      edits.map(({ guardrail_id, field, [side]: value }) =>
        manage("PATCH", `/guardrails/${guardrail_id}`, { [field]: value })
      )
    )

  const explained = await gatewarden.explain(asked)
  const rows = explained.candidates.flatMap(({ endpoint_tag, reasons }) =>
    reasons.map(({ scope, guardrail_id, field, value }, at) => [
      at === 0 ? endpoint_tag : "",
      scope,
      names.get(guardrail_id ?? "") ?? "",
      field,
      brief(value)
    ])
  )
  screen.table(["endpoint", "scope", "guardrail", "field", "value"], rows)
  const edits = explained.smallest_change ?? []
  screen.say("\nThe smallest change that allows it:")
  screen.table(
    ["guardrail", "field", "from", "to"],
    edits.map(({ guardrail_id, field, from, to }) => [
      names.get(guardrail_id ?? "") ?? "",
      field,
      { text: brief(from), tone: "bad" },
      { text: brief(to), tone: "good" }
    ])
  )
  const denied = await decides()
  screen.claim(
    "explaining and admitting are one decision",
    explained.decision === "deny" &&
      denied === "deny" &&
      explained.candidates.every(({ reasons }) => reasons.length > 0),
    `${explained.candidates.length} candidates, ${rows.length} reasons`
  )
  const without: string[] = []
  for (const left of edits) {
    const others = edits.filter((edit) => edit !== left)
    await apply(others, "to")
    without.push(await decides())
    await apply(others, "from")
  }
  await apply(edits, "to")
  const changed = await decides()
  screen.claim(
    "the change allows it, and no part of it does",
    edits.length > 0 && changed === "allow" && without.every((decision) => decision === "deny"),
    `${edits.length} edits: ${changed}; without any one of them: ${[...new Set(without)].join(", ")}`
  )
}

const batches = 1204

const replayProposal = async ({ screen, gatewarden, manage, newKey, newWorkspace }: Stage): Promise<void> => {
  const { id } = await newWorkspace("team")
  const keys = await Promise.all(["web", "search", "support"].map((name) => newKey({ name, workspace_id: id })))
  const end = Date.now() - dayMillis
  const start = end - 7 * dayMillis
  const events = Array.from({ length: batches }, (_, at) => {
    const provider = largeProviders[(at * 7) % largeProviders.length] ?? "openai"
    return {
      id: `demo-${at}`,
      created_at: new Date(start + Math.floor((at * 7 * dayMillis) / batches)).toISOString(),
      model,
      provider,
      endpoint_tag: provider,
      api_key_hash: keys[at % keys.length]?.hash,
      prompt_tokens: 100,
      completion_tokens: at % 90,
      cost_usd: costOf(at % 90).usd
    }
  })
  await manage("POST", "/gateway/usage-events", { events })
  const report = await gatewarden.replay({
    api_key_hash: keys[0]?.hash ?? "",
    replay: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
    guardrail: { scope: "workspace", patch: { enforce_zdr: true } }
  })
  const kept = events.filter(({ provider }) => retaining.includes(provider))
  const cost = formatUsd(kept.reduce((sum, { completion_tokens }) => sum + costOf(completion_tokens).nanos, 0n))
  screen.say(
    `\nIf nothing might be retained: ${report.blocked} of ${report.events} calls of last week would have been blocked, ` +
      `of ${report.keys.length} keys, worth $${report.blocked_usd}.`
  )
  screen.table(
    ["scope", "field", "blocked", "worth"],
    report.by_reason.map(({ scope, field, blocked, blocked_usd }) => [
      scope,
      field,
      { text: String(blocked), tone: "bad" },
      `$${blocked_usd}`
    ])
  )
  screen.claim(
    "a proposal replayed over recorded traffic blocks what it should",
    report.events === batches &&
      report.blocked === kept.length &&
      report.blocked_usd === cost &&
      report.keys.length === keys.length,
    `counted by hand: ${kept.length} calls, $${cost}`
  )
}

export const actWhy = async (stage: Stage): Promise<void> => {
  stage.screen.act(
    "2  Why",
    `A call to ${model} is denied by a workspace, a member and a key that know nothing of each other. Nothing is guessed.`
  )
  await explainDenial(stage)
  await replayProposal(stage)
}
