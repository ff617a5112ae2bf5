/** One API that clients and upstreams speak: what its requests ask, and what its answers say and used. */
import type { CreateAdmission } from "@gatewarden/contract"
import type { GrantedAdmission, UsageCost } from "@gatewarden/core"
import type { IncomingHttpHeaders } from "node:http"
import type { Answer } from "../Answer.ts"
import type { Used } from "../Tally.ts"
import type { Upstream } from "../Upstream.ts"

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const dialectNames = ["chat", "responses", "messages", "embeddings"] as const
export type DialectName = (typeof dialectNames)[number]

/** What a request asks. */
export interface Asked {
  /** What is decided on beside the forwarded fields. */
  readonly decided: Pick<
    CreateAdmission,
    "max_completion_tokens" | "messages" | "model" | "models" | "preset" | "provider" | "session_id" | "stream" | "user"
  >
  /** What an upstream would be sent beside the messages. All of it is decided on first, so that nothing is bought that was not granted. */
  readonly forwarded: Fields
  /** Of the usage event. */
  readonly trace?: Fields | undefined
  /** How a client wants to be answered. */
  readonly form: {
    readonly hidesReasoning?: boolean
    /** Whether it asked for OpenAI's event with what was used. */
    readonly includesUsage?: boolean
  }
}

/** A refusal names no more. */
export const mostIssues = 100

/** Why a body asks nothing that can be answered. */
export interface Malformed {
  readonly issues: readonly { readonly path: string; readonly code: string; readonly message: string }[]
  readonly reason?: string
}

/** Counts of one event or answer. `total_tokens` fills in those that are missing. */
export type Reported = Partial<Used> & { readonly total_tokens?: number }

/** What was used so far, and what it and its prompt alone cost. */
export interface Spent {
  readonly used: Used
  readonly cost: UsageCost
  readonly ofPrompt: UsageCost
}

/** An answer on its way to a client. */
export interface Shaping {
  /** Of the generation: the usage event is found by it. */
  readonly id: string
  /** Seconds, for upstreams that do not say. */
  readonly created: number
  /** The model and provider that answer, by the names of the catalog. */
  readonly answering: { readonly model: string; readonly provider: string }
  readonly form: Asked["form"]
  /** Puts back what was redacted. */
  readonly restore: GrantedAdmission["restore"]
  readonly spent: () => Spent
}

/** The events of one stream, as they are written to its client. */
export interface StreamShape {
  /** For an event of the upstream; nothing where it is written later. */
  readonly push: (event: Fields) => readonly string[]
  /** Whether the upstream has said all. `isDone`: it has sent `[DONE]`. */
  readonly isWhole: (isDone: boolean) => boolean
  /** Whether nothing more is to come that anybody waits for, though the upstream may keep its connection. */
  readonly isLast: () => boolean
  /** Written before the money is settled. */
  readonly end: () => readonly string[]
  /** Written when it is: the client takes it for the end. */
  readonly done: () => string
  /** In place of both where the upstream broke off, so that a client which looks at its events alone learns of it. */
  readonly broken: () => string
}

export interface Outgoing {
  readonly upstream: Upstream
  /** As the upstream calls it. */
  readonly model: string
  /** The fields of the request but those that depend on the candidate. */
  readonly body: Fields
  /** How many tokens may be written. */
  readonly cap: number | null
}

export interface Dialect {
  readonly name: DialectName
  /** Of its `POST`, below the base path of the gateway and below an upstream's `base_url`. */
  readonly path: string
  readonly read: (sent: unknown) => Asked | Malformed
  /** The fields that may be sent on, without those that are `null`, which say nothing. */
  readonly forwarded: (fields: Fields) => Fields
  /** `client`: the headers that the client sent. */
  readonly headers: (key: string, client: IncomingHttpHeaders) => Readonly<Record<string, string>>
  readonly bodyFor: (outgoing: Outgoing) => Fields
  readonly isAnswer: (answer: Fields) => boolean
  /** Whether an upstream says that it failed, in an answer or an event. */
  readonly isFailure: (said: Fields) => boolean
  /**
   * What an upstream counts: up to this event, if it has a count of what was written. Another event has the counts that are missing.
   * `before`: the counts until now, for events that repeat a part of them.
   */
  readonly reported: (said: Fields, before: Partial<Used>) => Reported | undefined
  /** What the model wrote. */
  readonly written: (said: Fields) => string
  /** In an event that ends a part of an answer, the whole of it, of which pieces may have come before. */
  readonly ended?: (said: Fields) => string
  /** How many searches an event of a stream tells the end of; absent where all are in the counts. */
  readonly searched?: (said: Fields) => number
  /** Whether the model wrote audio or an image: their length does not tell how many tokens they are. */
  readonly hasMedia: (said: Fields) => boolean
  /** Why it stopped, in OpenAI's words. */
  readonly finished: (said: Fields) => string | undefined
  readonly whole: (answer: Fields, shaping: Shaping) => Fields
  /** Of its answers, what is passed on unread while it comes where it is long: a list that is not changed. */
  readonly list?: string
  /** Absent where nothing is streamed. */
  readonly stream?: (shaping: Shaping) => StreamShape
  /** An error, as callers of this API read it. */
  readonly refusal: (
    status: number,
    message: string,
    metadata: Fields,
    headers?: Readonly<Record<string, string>>
  ) => Answer
}

export const bearerHeaders: Dialect["headers"] = (key) => ({ authorization: `Bearer ${key}` })

/** Keeps fields that an upstream may be sent. */
export const keeping =
  (names: ReadonlySet<string>): Dialect["forwarded"] =>
  (fields) =>
    Object.fromEntries(Object.entries(fields).filter(([name, value]) => names.has(name) && value != null))

/** No request has more of anything: an upstream that says so is not believed, and what came through is counted. */
const mostCounted = 1_000_000_000

export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= mostCounted ? value : undefined

const isKnown = <T>(entry: readonly [string, T | undefined]): entry is readonly [string, T] => entry[1] !== undefined

/** Without counts that are missing: they replace no earlier ones. */
export const onlyKnown = (counts: { readonly [Name in keyof Reported]: Reported[Name] | undefined }): Reported =>
  Object.fromEntries(Object.entries(counts).filter(isKnown))

/**
 * The total replaces counts that are missing. What it has beyond both was written: some providers count what was thought in nothing else.
 * A total alone counts as written, which costs more. `mostRead`: the upper bound of a prompt that was not counted.
 */
export const filledIn = ({ total_tokens: total, ...counts }: Reported, mostRead = () => Infinity): Partial<Used> => {
  if (total === undefined) return counts
  const { prompt_tokens, completion_tokens: written } = counts
  const read = prompt_tokens ?? (written === undefined ? 0 : Math.min(Math.max(0, total - written), mostRead()))
  const rest = total - read
  return onlyKnown({ ...counts, prompt_tokens: read, completion_tokens: rest > (written ?? 0) ? rest : written })
}

export const fieldOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined,
    value
  )

/** Some send `null` where all is well. */
export const hasError = (said: unknown): boolean => (fieldOf(said, "error") ?? null) !== null

/** Members whose texts are no tokens that a model wrote: names of the API, probabilities, and where something was found. */
const unwritten: ReadonlySet<string> = new Set([
  "role",
  "id",
  "call_id",
  "type",
  "status",
  "logprobs",
  "url",
  "stop_reason",
  "stop_sequence"
])

/** Members with bytes of audio, images and pages. In parts of the types below they are what was thought, encrypted: about as long as it. */
const bytes: ReadonlySet<string> = new Set(["data", "encrypted_content", "result"])
const thought: ReadonlySet<unknown> = new Set(["reasoning", "reasoning.encrypted", "redacted_thinking"])

/** Texts that a model wrote, wherever a part of an answer has them, in any order: content, reasoning, refusals, names and arguments of tools. */
export const textsIn = (value: unknown): readonly string[] => {
  const texts: string[] = []
  // No recursion: an upstream may nest as deep as it likes.
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === "string") texts.push(next)
    // A list may be long: its members have no names to look at.
    else if (Array.isArray(next)) for (const member of next) waiting.push(member)
    else if (typeof next === "object" && next !== null)
      for (const [name, member] of Object.entries(next))
        if (!unwritten.has(name) && (!bytes.has(name) || thought.has(fieldOf(next, "type")))) waiting.push(member)
  }
  return texts
}

/** Members with bytes and addresses that no model wrote: arguments of tools, citations, and what tools of the provider found. */
const notMedia: ReadonlySet<string> = new Set([
  "input",
  "arguments",
  "input_schema",
  "annotations",
  "results",
  "executed_tools"
])

const mediaName = /image|audio|video/

const address = /^(?:data|https?|gs|s3):/i

/** A page that a tool fetched has bytes, too. */
const isPage = (part: object): boolean => /^(?:application|text)\//.test(String(fieldOf(part, "media_type")))

/** Whether there is audio or an image: bytes that are neither thought nor a page, or the address of something that is named so. */
export const mediaIn = (value: unknown): boolean => {
  // No recursion, as above.
  const waiting: (readonly [value: unknown, isNamed: boolean])[] = [[value, false]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [part, isNamedAbove] = next
    if (typeof part === "string" && isNamedAbove && address.test(part)) return true
    if (typeof part !== "object" || part === null) continue
    if (Array.isArray(part)) {
      for (const member of part) waiting.push([member, isNamedAbove])
      continue
    }
    const type = fieldOf(part, "type")
    const isNamedByType =
      isNamedAbove ||
      [type, fieldOf(part, "mime_type"), fieldOf(part, "media_type")].some(
        (each) => typeof each === "string" && mediaName.test(each)
      )
    for (const [name, member] of Object.entries(part)) {
      const isNamed = isNamedByType || mediaName.test(name)
      if (typeof member !== "string") {
        if (!notMedia.has(name)) waiting.push([member, isNamed])
      } else if (member !== "" && name !== "transcript") {
        const isData = name === "data" && !thought.has(type) && (isNamed || !isPage(part))
        const isResult = name === "result" && type === "image_generation_call"
        if (isData || isResult || (isNamed && (name === "url" || name === "file_id" || address.test(member))))
          return true
      }
    }
  }
  return false
}

/** A server-sent event; with a name where the API names its events. */
export const eventOf = (value: object | "[DONE]", name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${value === "[DONE]" ? value : JSON.stringify(value)}\n\n`
