/**
 * What a data plane should answer to a denied request: the status, the text and the proof in short.
 *
 * Source: decisions 14 (403, 402 for a key's own limit, 404 when no endpoint is left); public API 4.1.
 */
import type { AdmissionReason, DenialError } from "@gatewarden/contract"
import { formatUsd, parseUsd } from "../usage/money.ts"
import type { Proof } from "./decide.ts"

export interface Denial {
  readonly status: number
  readonly error: DenialError
  readonly reasons: readonly AdmissionReason[]
}

const money = new Set<AdmissionReason["scope"]>(["workspace_budget", "key_limit"])

const isMoney = ({ scope, field }: AdmissionReason): boolean => money.has(scope) || field === "limit_usd"

const intervals = ["lifetime", "monthly", "weekly", "daily"] as const

/** Cents at least, and every decimal that a limit has. */
const dollars = (value: unknown): string => {
  const [whole = "0", fraction = ""] = formatUsd(parseUsd(Number(value)) ?? 0n).split(".")
  return `$${whole}.${fraction.padEnd(2, "0")}`
}

/** The text for exceeded budgets names the broadest of the workspace's, else the key's own limit, else a guardrail's. */
const budgetText = (reasons: readonly AdmissionReason[]): { readonly status: number; readonly message: string } => {
  for (const interval of intervals) {
    const broken = reasons.find(({ scope, field }) => scope === "workspace_budget" && field === `budgets.${interval}`)
    if (broken !== undefined)
      return {
        status: 403,
        message: `Workspace ${interval} budget of ${dollars(broken.value)} exceeded. Contact your org admin.`
      }
  }
  const own = reasons.find(({ scope }) => scope === "key_limit")
  if (own !== undefined) return { status: 402, message: `Key limit of ${dollars(own.value)} exceeded.` }
  const guardrail = reasons.find(({ field }) => field === "limit_usd")
  return { status: 403, message: `Guardrail budget of ${dollars(guardrail?.value)} exceeded.` }
}

const texts = {
  region: "Requests of this key are not permitted through this data region.",
  none: "No endpoints available matching your guardrail restrictions and data policy.",
  unknown: "No endpoints found for the requested model."
} as const

/** The same reason of many candidates is told once. */
const distinct = (reasons: readonly AdmissionReason[]): readonly AdmissionReason[] => {
  const seen = new Map<string, AdmissionReason>()
  for (const reason of reasons) {
    const place = JSON.stringify([reason.scope, reason.guardrail_id, reason.field, reason.value])
    if (!seen.has(place)) seen.set(place, reason)
  }
  return [...seen.values()]
}

/** What the first general objection asks to be answered; filters and rate limits bring their own. */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

const availability = (reasons: readonly AdmissionReason[]) => ({
  code: reasons.some(({ field }) => /zdr|training|publication|data_collection/.test(field))
    ? "privacy_restricted"
    : "constraint_filtered",
  excluded_by: [...new Set(reasons.map(({ field }) => field))]
})

/** `refusal` is what filters or rate limits ask to be answered, when they object. */
export const denialOf = (proof: Proof, refusal?: Refusal): Denial => {
  const general = proof.general.map(({ reason }) => reason)
  const answer = (status: number, message: string, reasons: readonly AdmissionReason[], metadata?: object): Denial => ({
    status,
    error: { code: status, message, ...(metadata === undefined ? {} : { metadata: { ...metadata } }) },
    reasons
  })
  if (general.some(({ field }) => field === "allowed_data_regions")) return answer(403, texts.region, distinct(general))
  if (general.some(({ scope }) => scope !== "catalog"))
    return answer(refusal?.status ?? 403, refusal?.message ?? texts.none, distinct(general), refusal?.metadata)
  if (general.length > 0) return answer(404, texts.unknown, general, { availability: { code: "no_endpoints" } })
  const all = distinct(proof.candidates.flatMap(({ objections }) => objections.map(({ reason }) => reason)))
  // Money decides what is answered only where policy left something to pay for.
  const unpaid = proof.candidates.filter(({ objections }) => objections.every(({ reason }) => isMoney(reason)))
  if (unpaid.length === 0) return answer(404, texts.none, all, { availability: availability(all) })
  const { status, message } = budgetText(unpaid.flatMap(({ objections }) => objections.map(({ reason }) => reason)))
  return answer(status, message, all)
}
