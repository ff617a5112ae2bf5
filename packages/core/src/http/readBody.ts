/**
 * Reads a request body as its operation declares it, after the caller is authenticated.
 *
 * Rule: requests#order-of-checks: 415, then 413, then 400.
 */
import { type Body, type Issue, maxIssues } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { BadRequest, type BodyFailure, TooLarge, UnsupportedMediaType } from "../value/failure.ts"
import { Digest } from "../platform/Digest.ts"
import type { AnswerTurns } from "./AnswerTurns.ts"
import type { AppRequest } from "./AppRequest.ts"
import { type HeldBytes, type Sender, type Traffic } from "./BytesInFlight.ts"
import { type BodyLimits, maxShortBytes } from "./BodyLimits.ts"
import { type JsonSize, maxFreeBytes, measureJson, measuring, mostOfValues } from "../value/measureJson.ts"
import { inSlices } from "../value/inSlices.ts"
import { checkInput, checkLongInput } from "../value/checkInput.ts"
import { parseJson, type ParsedJson } from "../value/parseJson.ts"
import { longJsonSize, parseLongJson } from "../value/parseLongJson.ts"
import { withFile } from "./readFile.ts"
import { readLines } from "./readLines.ts"
import { announcedLength, arriving, collected, counted, invalidJson, refusalOf, tooLarge } from "./receiveBody.ts"

/** The body, and its digest, which distinguishes a repetition from another request. */
export interface ReadBody {
  readonly value: unknown
  /** The JSON value before validation. */
  readonly sent: unknown
  /** Whether the body is long, so that values derived from it may be long, too. */
  readonly isLong?: boolean
  /** Lowercase hex SHA-256; for lines a chain of digests, which reads them to their end. */
  readonly hash: Effect.Effect<string>
}

export const noBody: ReadBody = { value: undefined, sent: undefined, hash: Effect.succeed("") }

const mediaType = (request: AppRequest): string =>
  (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

/** Nothing in it can match a blank twice: the header may have 16 KB of them, and anybody sends it. */
const jsonParameters = /^\s*application\/json\s*(?:;\s*(?:charset\s*=\s*"?utf-8"?\s*(?:;\s*)?)?)?$/i

/** `named`: another name of JSON that is taken. */
const isJson = (request: AppRequest, named: string | undefined): boolean => {
  const type = request.headers["content-type"] ?? ""
  return jsonParameters.test(
    named !== undefined && mediaType(request) === named ? type.replace(/^[^;]*/, "application/json") : type
  )
}

const unsupported = () => new UnsupportedMediaType({ reason: "unsupported_media_type" })

/** Content encodings are not supported (RFC 9110 15.5.16). A host that decodes removes the header. */
const codingProblem = (request: AppRequest): UnsupportedMediaType | undefined => {
  const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? ""
  if (coding === "" || coding === "identity") return undefined
  const issue = {
    path: "header.content-encoding",
    code: "unsupported_coding",
    message: "Expected a body without Content-Encoding"
  }
  return new UnsupportedMediaType({ reason: "unsupported_media_type", issues: [issue] })
}

/** The state of receiving bodies and of answering: bytes in flight in this process, and the limits. */
export interface Reception {
  readonly limits: BodyLimits
  readonly inFlight: Traffic
  /** Answers in the making. */
  readonly turns: AnswerTurns
}

/** Uses the body of a request, which counts as in flight until the use ends. */
export const withBody = <A, E, R>(
  request: AppRequest,
  body: Body,
  { limits, inFlight }: Reception,
  sender: Sender,
  use: (read: ReadBody) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | BodyFailure | UnsupportedMediaType, R> => {
  const problem = codingProblem(request)
  if (problem !== undefined) return Effect.fail(problem)
  const isFile = body.kind === "file"
  const announced = announcedLength(request)
  // Nearly all bodies are short, and take this fast path.
  if (!isFile && announced !== undefined && announced <= maxShortBytes) {
    if (announced <= maxFreeBytes) return Effect.flatMap(readText(request, body, limits, undefined), use)
    const ofValues = inFlight.values.hold(sender)
    const done = Effect.flatMap(readText(request, body, limits, undefined, ofValues), use)
    return Effect.ensuring(done, Effect.sync(ofValues.release))
  }
  const held = (isFile ? inFlight.uploads : inFlight.json).hold(sender)
  const ofValues = inFlight.values.hold(sender)
  const done = isFile
    ? mediaType(request) === "multipart/form-data"
      ? withFile(request, body.maxBytes, limits, held, use)
      : Effect.fail(unsupported())
    : Effect.flatMap(readText(request, body, limits, held, ofValues), use)
  return Effect.ensuring(
    done,
    Effect.sync(() => {
      held.release()
      ofValues.release()
    })
  )
}

const readText = (
  request: AppRequest,
  body: Exclude<Body, { kind: "file" }>,
  limits: BodyLimits,
  held: HeldBytes | undefined,
  ofValues?: HeldBytes
): Effect.Effect<ReadBody, BodyFailure | UnsupportedMediaType> => {
  if (body.kind === "json") return readValue(request, body, limits, held, ofValues)
  return mediaType(request) === "application/x-ndjson"
    ? readLines(request, body, limits, held, ofValues)
    : Effect.map(readValue(request, body, limits, held, ofValues), (read) => ({
        ...read,
        value: { kind: "value", value: read.value }
      }))
}

const hasBody = (request: AppRequest): boolean =>
  request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0

const readBytes = (
  request: AppRequest,
  maxBytes: number,
  limits: BodyLimits,
  held: HeldBytes | undefined
): Effect.Effect<Uint8Array, BodyFailure> => {
  const announced = announcedLength(request)
  if (announced !== undefined && announced > maxBytes) return Effect.fail(tooLarge())
  return held === undefined
    ? Effect.mapError(request.readBytes(limits), refusalOf)
    : collected(counted(held, maxShortBytes)(arriving(request, limits)), maxBytes)
}

const readValue = (
  request: AppRequest,
  body: Exclude<Body, { kind: "file" }>,
  limits: BodyLimits,
  held: HeldBytes | undefined,
  ofValues: HeldBytes | undefined
): Effect.Effect<ReadBody, BodyFailure | UnsupportedMediaType> => {
  const { schema, maxBytes, maxValues } = body
  if (body.kind === "json" && body.form === true && mediaType(request) === formType)
    return readForm(request, body, limits, held)
  const isTyped = request.headers["content-type"] !== undefined
  // Fetch runtimes do not always announce a length, so an absent Content-Type is checked once a body is known to exist.
  if (isTyped ? !isJson(request, body.kind === "json" ? body.mediaType : undefined) : hasBody(request))
    return Effect.fail(unsupported())
  return Effect.flatMap(
    readBytes(request, maxBytes, limits, held),
    (bytes): Effect.Effect<ReadBody, BodyFailure | UnsupportedMediaType> => {
      if (bytes.length > 0 && !isTyped) return Effect.fail(unsupported())
      const hash = Effect.flatMap(Digest, (digest) => digest.sha256Hex(bytes))
      if (bytes.length <= longJsonSize) {
        const refused = ofValues?.take(uncounted(bytes, measureJson(bytes)))
        if (refused !== undefined) return Effect.fail(refused)
        return Effect.flatMapEager(
          isLeftOut(body, bytes) ? Effect.succeed({}) : objectOf(parseJson(bytes, body.repairs)),
          (sent) => Effect.mapEager(checkBody(body, sent), (value) => ({ value, sent, hash }))
        )
      }
      return Effect.gen(function* () {
        const { values, text } = yield* inSlices(measuring(bytes))
        const size = { values: Math.min(values, mostOfValues(maxValues)), text }
        const refused = ofValues?.take(uncounted(bytes, size))
        if (refused !== undefined) return yield* refused
        const sent = yield* Effect.flatMap(parseLongJson(bytes, maxValues, body.repairs), objectOf)
        const flat = flatOf(body, sent)
        const checked = yield* checkLongInput(flat?.schema ?? schema, sent)
        const value = flat === undefined ? checked : { [flat.field]: checked }
        return { value, sent, hash, isLong: true }
      })
    }
  )
}

/** A body that comes flat is named in issues as it was sent. */
const flatOf = (body: Exclude<Body, { kind: "file" }>, sent: object) =>
  body.kind === "json" && body.flat !== undefined && !Object.hasOwn(sent, body.flat.field) ? body.flat : undefined

const checkBody = (body: Exclude<Body, { kind: "file" }>, sent: object) => {
  const flat = flatOf(body, sent)
  return flat === undefined
    ? checkInput(body.schema, sent)
    : Effect.mapEager(checkInput(flat.schema, sent), (value) => ({ [flat.field]: value }))
}

/** Nearly all bodies have less text. */
const freeText = 16_384

/** What a body takes beyond its bytes, which count by themselves if it is long. */
const uncounted = ({ length }: Uint8Array, { values, text }: JsonSize): number =>
  values + Math.max(0, text - (length > maxShortBytes ? length : freeText))

const isLeftOut = (body: Body, bytes: Uint8Array): boolean =>
  bytes.length === 0 && body.kind === "json" && body.optional === true

const formType = "application/x-www-form-urlencoded"

/** A form of more fields is refused. Those that no operation knows are ignored (RFC 6749 3.2). */
const maxFormFields = 100
const ampersand = "&".charCodeAt(0)

/** The fields of a form. One that is empty counts as absent; one that is there twice is 400 (RFC 6749 3.2). */
const readForm = (
  request: AppRequest,
  { schema, maxBytes }: Extract<Body, { kind: "json" }>,
  limits: BodyLimits,
  held: HeldBytes | undefined
): Effect.Effect<ReadBody, BodyFailure> =>
  Effect.flatMap(readBytes(request, maxBytes, limits, held), (bytes) => {
    const hash = Effect.flatMap(Digest, (digest) => digest.sha256Hex(bytes))
    const sent: Record<string, string> = Object.create(null)
    const issues: Issue[] = []
    // Counted before they are made: tens of thousands fit into a short body.
    if (bytes.reduce((fields, byte) => (byte === ampersand ? fields + 1 : fields), 1) > maxFormFields) {
      const message = `Expected at most ${maxFormFields} fields`
      return Effect.fail(
        new BadRequest({ reason: "invalid_request", issues: [{ path: "", code: "too_many_fields", message }] })
      )
    }
    for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) {
      if (value === "") continue
      if (name in sent && issues.length < maxIssues)
        issues.push({ path: name, code: "repeated", message: "Given more than once" })
      sent[name] = value
    }
    if (issues.length > 0) return Effect.fail(new BadRequest({ reason: "invalid_request", issues }))
    return Effect.map(checkInput(schema, { ...sent }), (value) => ({ value, sent, hash }))
  })

/** The JSON object of a body; 413 if it has too many values, 400 if it is not a valid object. */
const objectOf = (parsed: ParsedJson): Effect.Effect<object, BodyFailure> => {
  if (!parsed.ok) {
    const { path, code, message } = parsed
    return Effect.fail(
      code === "too_many_values" || code === "too_many_members" || code === "too_long_string"
        ? new TooLarge({ reason: "payload_too_large", issues: [{ path: "", code, message }] })
        : invalidJson(path, code, message)
    )
  }
  const { value } = parsed
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Effect.succeed(value)
    : Effect.fail(invalidJson("", "not_an_object", "The body must be a JSON object"))
}
