/** Tries the candidates of an admission in their order until one answers. */
import type { AdmittedCandidate } from "@gatewarden/contract"
import type { GrantedAdmission } from "@gatewarden/core"
import type { IncomingHttpHeaders } from "node:http"
import type { Room } from "./AnswerRoom.ts"
import type { Dialect, DialectName, Fields } from "./dialects/Dialect.ts"
import { type Failure, type Opened, openUpstream } from "./openUpstream.ts"
import { post, type Send } from "./post.ts"
import { eventsOfTokens } from "./readEvents.ts"
import { tokensOfChoices } from "./Tally.ts"
import { dialectsOf, privateUpstream, type Upstream, upstreamModel, upstreamName, type Upstreams } from "./Upstream.ts"

export interface Attempt extends Omit<Failure, "kind"> {
  readonly candidate: AdmittedCandidate
}

/** `attempts`: those that failed before, in the order they were made. */
export type Dispatched =
  | {
      readonly kind: "answered"
      readonly candidate: AdmittedCandidate
      readonly opened: Exclude<Opened, Failure>
      readonly attempts: readonly Attempt[]
    }
  /** No attempts when there is no key for any candidate. `is_spent`: a budget pays for no other attempt. */
  | { readonly kind: "failed"; readonly attempts: readonly Attempt[]; readonly is_spent: boolean }
  /** No candidate is reached by this API; by which they are. */
  | { readonly kind: "unspoken"; readonly dialects: readonly DialectName[] }
  /** Other providers would say the same of such a request. */
  | { readonly kind: "rejected"; readonly attempt: Attempt; readonly attempts: readonly Attempt[] }

export interface Outgoing {
  readonly admission: Pick<GrantedAdmission, "candidates" | "credentialOf" | "grant" | "holds">
  readonly upstreams: Upstreams
  /** Sends to private endpoints. */
  readonly sendPrivate: Send
  /** The fields of the request but those that depend on the candidate. */
  readonly body: Fields
  readonly dialect: Dialect
  /** Of the client. */
  readonly headers: IncomingHttpHeaders
  /** The client's: once it is aborted nobody waits for another candidate. */
  readonly left: AbortSignal
  /** Aborted when what was sent is not waited for any more. */
  readonly gaveUp: AbortSignal
  readonly room: Room
}

/** Statuses that say something about the request, and nothing about who was asked. */
const requestIsWrong: readonly (number | null)[] = [400, 413, 422]

/** Statuses about the key. Providers repeat a part of it, masked. */
const keyIsWrong: readonly (number | null)[] = [401, 403]

/** As many characters of a key tell enough of it. Fewer are in what any key of a provider begins with. */
const tellingLength = 12

/**
 * Whether a text has a telling part of the key, also escaped as JSON or in a URL. A part, because the text may have been cut, by us or by the
 * provider.
 */
const tellsOf = (text: string, key: string): boolean => {
  const plain = text
    .replace(/\\u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_, unit, byte) =>
      String.fromCharCode(Number.parseInt(unit ?? byte, 16))
    )
    .replaceAll("\\", "")
  const length = Math.min(tellingLength, key.length)
  // A key may have thousands of parts, and a message has at most as many as it has characters.
  const said = new Set<string>()
  for (let at = 0; at + length <= plain.length; at++) said.add(plain.slice(at, at + length))
  for (let at = 0; at + length <= key.length; at++) if (said.has(key.slice(at, at + length))) return true
  return false
}

/** What a client is told of a failure. It may know neither the key of a workspace nor any part of the operator's. */
const toldOf = ({ status, message }: Failure, key: string, { source }: AdmittedCandidate): string | null => {
  if (source !== "byok" && keyIsWrong.includes(status)) return "The provider refused the gateway's key"
  return message === null || tellsOf(message, key) ? null : message
}

/**
 * The workspace's key for this candidate, or the gateway's own, which is not spent at prices that an account wrote. A key that was
 * withdrawn meanwhile is passed over.
 */
const keyFor = (
  admission: Outgoing["admission"],
  candidate: AdmittedCandidate,
  upstream: Upstream
): Promise<string | undefined> | string | undefined =>
  candidate.source === "byok"
    ? admission.credentialOf(candidate).catch(() => undefined)
    : candidate.own_model === true
      ? undefined
      : upstream.api_key

/** Where a candidate is reached; `undefined` if the gateway does not know its provider. */
interface Reached {
  readonly upstream: Upstream
  /** The model, as it is called there. */
  readonly model: string
  readonly send: Send
}

const reachedAt = (
  { upstreams, sendPrivate }: Pick<Outgoing, "upstreams" | "sendPrivate">,
  candidate: AdmittedCandidate
): Reached | undefined => {
  const { upstream: deployment, provider } = candidate
  // An account chose the address, which is judged whenever a connection to it is opened.
  if (deployment !== undefined)
    return {
      upstream: privateUpstream(upstreams, provider, deployment.base_url),
      model: deployment.model,
      send: sendPrivate
    }
  const name = upstreamName(upstreams, candidate)
  const upstream = Object.hasOwn(upstreams, name) ? upstreams[name] : undefined
  return upstream && { upstream, model: upstreamModel(upstream, candidate.model), send: post }
}

/** Each is sent the whole request, and there may be two thousand candidates. */
const mostAttempts = 20

export const dispatch = async ({
  admission,
  upstreams,
  sendPrivate,
  body,
  dialect,
  headers,
  left,
  gaveUp,
  room
}: Outgoing): Promise<Dispatched> => {
  const attempts: Attempt[] = []
  const spoken = new Set<DialectName>()
  for (const candidate of admission.candidates) {
    const reached = reachedAt({ upstreams, sendPrivate }, candidate)
    if (reached === undefined) continue
    const { upstream, model, send } = reached
    for (const each of dialectsOf(upstream)) spoken.add(each)
    if (!dialectsOf(upstream).includes(dialect.name)) continue
    const key = await keyFor(admission, candidate, upstream)
    if (key === undefined) continue
    if (left.aborted) break
    const cap = candidate.max_completion_tokens ?? admission.grant.max_completion_tokens
    const opened = await openUpstream(upstream, {
      dialect,
      headers: dialect.headers(key, headers),
      body: dialect.bodyFor({ upstream, model, body, cap }),
      signal: gaveUp,
      room,
      mostEvents: eventsOfTokens(tokensOfChoices(cap, body)),
      send
    })
    if (opened.kind !== "failed") return { kind: "answered", candidate, opened, attempts }
    const { kind: _, status, ...more } = opened
    const attempt = { ...more, candidate, status, message: toldOf(opened, key, candidate) }
    if (requestIsWrong.includes(status)) return { kind: "rejected", attempt, attempts }
    attempts.push(attempt)
    if (opened.no_room || attempts.length === mostAttempts) break
    // A hold is for one attempt that may be billed. Rule: money#holds.
    if (opened.given_up && admission.holds.length > 0) return { kind: "failed", attempts, is_spent: true }
  }
  return spoken.size > 0 && !spoken.has(dialect.name)
    ? { kind: "unspoken", dialects: [...spoken] }
    : { kind: "failed", attempts, is_spent: false }
}
