import type { Erasure as PrintedErasure, ErasureObstacle } from "@gatewarden/contract/internal"
import { Effect, Option, Redacted, Result } from "effect"
import * as Hex from "effect/encoding/Hex"
import { Digest, hmac } from "../platform/Digest.ts"
import { Entropy } from "../platform/Entropy.ts"
import { actingAs } from "../ports/acting.ts"
import {
  type DueErasure,
  type Erasure,
  type ErasureWork,
  Erasures,
  type NamedEvent,
  type Person
} from "../ports/erasures.ts"
import { formatInstant, timestamp } from "../value/calendar.ts"
import { base64url, fromBase64url } from "../value/text.ts"
import { type EncryptionContext, SecretUnreadable, Vault } from "../vault/Vault.ts"

/**
 * What an erasure keeps of its request until it has ended: the name, and the salt of its pseudonyms, encrypted.
 *
 * A pseudonym is a keyed hash of the name under a random salt. The salt goes with the request, so nobody can compute the pseudonym of a name again.
 */
export interface ErasureRequest extends Person {
  readonly salt: Uint8Array
}

const saltLength = 32
const pseudonymBytes = 16
const utf8 = new TextEncoder()

export const newErasureRequest = Effect.fnUntraced(function* ({ kind, name }: Person) {
  const request: ErasureRequest = { kind, name, salt: (yield* Entropy).bytes(saltLength) }
  return request
})

const pseudonym = (salt: Uint8Array, kind: string, value: string) =>
  Effect.map(
    hmac(salt, utf8.encode(`${kind}\0${value}`)),
    (digest) => `erased-${Hex.encode(digest.subarray(0, pseudonymBytes))}`
  )

export const pseudonymOf = ({ kind, name, salt }: ErasureRequest) => pseudonym(salt, kind, name)

export const pseudonymOfSession = ({ salt }: ErasureRequest, session_id: string) =>
  pseudonym(salt, "session", session_id)

/** The same for the same person of an account. */
export const digestOfPerson = Effect.fnUntraced(function* (account_id: string, { kind, name }: Person) {
  return yield* (yield* Digest).sha256Hex(JSON.stringify([account_id, kind, name]))
})

/** The table, field and row to which the ciphertext is bound. */
export const contextOfErasure = (account_id: string, id: string): EncryptionContext => ({
  table: "erasure",
  field: "request",
  account_id,
  workspace_id: "",
  row_id: id
})

export const sealErasure = Effect.fnUntraced(function* (
  { kind, name, salt }: ErasureRequest,
  account_id: string,
  id: string
) {
  const text = JSON.stringify({ kind, name, salt: base64url(salt) })
  return yield* (yield* Vault).seal(Redacted.make(text), contextOfErasure(account_id, id))
})

/** Fails where no key of the keyring decrypts it. */
export const openErasure = Effect.fnUntraced(function* (sealed: Uint8Array, account_id: string, id: string) {
  const text = yield* (yield* Vault).open(sealed, contextOfErasure(account_id, id))
  const { kind, name, salt } = JSON.parse(Redacted.value(text)) as Person & { readonly salt: string }
  const bytes = fromBase64url(salt)
  if (bytes === undefined) return yield* new SecretUnreadable()
  const request: ErasureRequest = { kind, name, salt: bytes }
  return request
})

/** What keeps an erasure from going on. Rule: access#erasures. */
type Kind = ErasureObstacle["kind"]

/** Somebody has to do something about it, before or after a job was asked for. */
export type LastingKind = Exclude<Kind, "open_hold" | "import" | "keyring">

/** One and many of it, as a sentence goes on behind their number, and what to do about it. */
export const remedies: Readonly<Record<LastingKind, readonly [one: string, many: string, remedy: string]>> = {
  live_key: [
    "live key names this person",
    "live keys name this person",
    "Revoke or delete it, or create another in its place"
  ],
  membership: [
    "workspace has this person as a member",
    "workspaces have this person as a member",
    "Remove the membership"
  ],
  directory_user: [
    "active user of the directory is this person",
    "active users of the directory are this person",
    "Deactivate the user there"
  ],
  authorization_code: [
    "authorization code that was not exchanged names this person",
    "authorization codes that were not exchanged name this person",
    "Wait until it has expired"
  ],
  federation_policy: [
    "enabled federation policy gives keys to this person",
    "enabled federation policies give keys to this person",
    "Disable, change or delete it"
  ]
}

/** Others end by themselves, so that a job waits for them. */
export const isLasting = (obstacle: ErasureObstacle): obstacle is ErasureObstacle & { readonly kind: LastingKind } =>
  Object.hasOwn(remedies, obstacle.kind)

/** Those that there are any of. */
export const obstaclesOf = (counts: Readonly<Partial<Record<Kind, number>>>): readonly ErasureObstacle[] =>
  Object.entries(counts).flatMap(([kind, count = 0]) => (count > 0 ? [{ kind: kind as Kind, count }] : []))

export const printedErasure = ({
  id,
  kind,
  status,
  pseudonym,
  in_the_way,
  erased,
  created_at,
  started_at,
  finished_at
}: Erasure): PrintedErasure => ({
  id,
  kind,
  status,
  pseudonym,
  in_the_way: [...in_the_way],
  erased: { ...erased },
  created_at,
  started_at,
  finished_at
})

/** Events that one batch examines, and rows of each other table that it changes. */
const examinedAtOnce = 500
const rowsAtOnce = 500

const waitMillis = 60_000

const wait = (in_the_way: readonly ErasureObstacle[], now: string): ErasureWork => ({
  does: "wait",
  in_the_way,
  until: formatInstant(Date.parse(now) + waitMillis)
})

/** What is done next. Before sums and configuration are changed, nothing may act in the person's name any more. */
const workOf = Effect.fnUntraced(function* (
  { id, account_id, step, place, sealed_request }: DueErasure,
  now: string,
  most: BatchSizes
) {
  const opened = yield* Effect.result(openErasure(sealed_request, account_id, id))
  if (Result.isFailure(opened)) return wait([{ kind: "keyring", count: 1 }], now)
  const request = opened.success
  const person = { kind: request.kind, name: request.name }
  const erasures = yield* Erasures
  if (step === "usage" || step === "late") {
    const walked = yield* erasures.walk(account_id, person, place, most.examined)
    const events = yield* Effect.forEach(walked.events, ({ id: event, session_id }) =>
      session_id === null
        ? Effect.succeed<NamedEvent>({ id: event, session_id })
        : Effect.map(pseudonymOfSession(request, session_id), (of): NamedEvent => ({ id: event, session_id: of }))
    )
    return { does: "events", person, walked: { ...walked, events } } satisfies ErasureWork
  }
  const obstacles = yield* erasures.inTheWay(account_id, person, now)
  return obstacles.length > 0
    ? wait(obstacles, now)
    : ({ does: "rows", person, atMost: most.rows } satisfies ErasureWork)
})

interface BatchSizes {
  readonly examined: number
  readonly rows: number
}

/**
 * One batch of the background job: a step of an erasure of the account whose turn it is behind `after`; 0 when none is due. The log of
 * changes names the erasure as the request. Rule: access#erasures.
 */
export const advanceErasuresBy = (most: BatchSizes) =>
  Effect.fnUntraced(function* (after: string | null) {
    const now = yield* timestamp
    const erasures = yield* Erasures
    const due = yield* erasures.due(now, after)
    if (Option.isNone(due)) return { value: 0 }
    const { id, account_id } = due.value
    const work = yield* workOf(due.value, now, most)
    yield* actingAs(
      { actor: { type: "server", id: null }, operation: "erasures", request_id: id },
      erasures.advance(account_id, id, work, now)
    )
    return { value: 1, position: account_id }
  })

export const advanceErasures = advanceErasuresBy({ examined: examinedAtOnce, rows: rowsAtOnce })
