/** Tries the candidates of an admission in their order until one answers. */
import type { AdmittedCandidate } from "@gatewarden/contract"
import type { GrantedAdmission } from "@gatewarden/core"
import { type Opened, openUpstream } from "./openUpstream.ts"
import { type Upstream, upstreamModel, type Upstreams } from "./Upstream.ts"

export interface Attempt {
  readonly candidate: AdmittedCandidate
  readonly status: number | null
  readonly message: string | null
}

export type Dispatched =
  | {
      readonly kind: "answered"
      readonly candidate: AdmittedCandidate
      readonly opened: Exclude<Opened, { kind: "failed" }>
    }
  /** In the order they were made; none when no upstream is configured for any candidate. */
  | { readonly kind: "failed"; readonly attempts: readonly Attempt[] }
  /** Other providers would say the same of such a request. */
  | { readonly kind: "rejected"; readonly attempt: Attempt }
  | { readonly kind: "abandoned"; readonly candidate: AdmittedCandidate }

export interface Outgoing {
  readonly admission: GrantedAdmission
  readonly upstreams: Upstreams
  /** The fields of the request but those that depend on the candidate. */
  readonly body: Readonly<Record<string, unknown>>
  readonly left: AbortSignal
}

/** Statuses that say something about the request, and nothing about who was asked. */
const requestIsWrong: readonly (number | null)[] = [400, 413, 422]

/** The workspace's key for this candidate, or the gateway's own. A key that was withdrawn meanwhile is passed over. */
const keyFor = (admission: GrantedAdmission, candidate: AdmittedCandidate, upstream: Upstream) =>
  candidate.source === "byok" ? admission.credentialOf(candidate).catch(() => undefined) : upstream.api_key

export const dispatch = async ({ admission, upstreams, body, left }: Outgoing): Promise<Dispatched> => {
  const attempts: Attempt[] = []
  const { max_completion_tokens } = admission.grant
  for (const candidate of admission.candidates) {
    const upstream = Object.hasOwn(upstreams, candidate.provider) ? upstreams[candidate.provider] : undefined
    const key = upstream && (await keyFor(admission, candidate, upstream))
    if (upstream === undefined || key === undefined) continue
    const limit = upstream.token_limit_field ?? "max_completion_tokens"
    const sent = {
      ...body,
      model: upstreamModel(upstream, candidate.model),
      ...(max_completion_tokens === null ? {} : { [limit]: max_completion_tokens })
    }
    const opened = await openUpstream(upstream, key, sent, left)
    if (opened.kind !== "failed") return { kind: "answered", candidate, opened }
    if (left.aborted) return { kind: "abandoned", candidate }
    const { status, message } = opened
    // What it said of itself might repeat the key that it was given.
    const attempt = { candidate, status, message: message?.includes(key) ? null : message }
    if (requestIsWrong.includes(status)) return { kind: "rejected", attempt }
    attempts.push(attempt)
  }
  return { kind: "failed", attempts }
}
