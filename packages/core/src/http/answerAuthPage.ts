/**
 * The page on which a user lets an app have a key: `/auth` of the PKCE flow.
 *
 * Rule: authorization#authorization-page. Source: RFC 6749 4.1.2; RFC 7636 4.3; RFC 9700 4.16. Who the user is says the host, or a management
 * key that is sent with the consent and kept nowhere.
 */
import {
  CreateAuthorizationCode,
  createAuthorizationCode as declared,
  errorMessages,
  queryInstant,
  queryNumber,
  reasons,
  text
} from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import * as z from "zod"
import { type Caller, restraintOn } from "../access/Caller.ts"
import { authenticate } from "../access/authenticate.ts"
import { type CodeRequest, createAuthorizationCode, readCodeRequest } from "../authorization/operations.ts"
import { callbackOrigin } from "../authorization/callbackUrl.ts"
import { actingAs } from "../ports/acting.ts"
import { checkInput } from "../value/checkInput.ts"
import { type Failure, TooLarge, UnsupportedMediaType } from "../value/failure.ts"
import type { AppAnswer, AppRequest } from "./AppRequest.ts"
import type { AppSettings } from "./AppSettings.ts"
import type { Services } from "./Services.ts"
import { actorOf } from "./answerOperation.ts"
import { codePage, consentPage, deniedPage, problemPage } from "./authPageHtml.ts"
import { answerPage } from "./errorPages.ts"
import { identifyCaller } from "./identifyCaller.ts"
import { addressUnknown, knowsAddress, publicAddress } from "./publicAddress.ts"
import { readQuery } from "./readQuery.ts"
import { refusalOf } from "./receiveBody.ts"

const { spawn_agent, spawn_cloud, ...shape } = CreateAuthorizationCode.shape

/** The fields of the operation, as a query has them. */
const AuthQuery = z.object({
  ...shape,
  callback_url: shape.callback_url.optional(),
  limit: queryNumber({ min: 0, max: 1e9 }),
  expires_at: queryInstant.optional(),
  spawn_agent,
  spawn_cloud,
  state: text(1, 1024).optional()
})

export interface AuthQuery {
  readonly codeRequest: CodeRequest
  /** Goes back to the app as it came. */
  readonly state: string | undefined
}

/**
 * What the query of the authorization page asks for. Rule: authorization#authorization-page.
 *
 * 400 for whatever the operation would refuse of it, before anybody is asked. An empty parameter counts as absent.
 */
export const readAuthQuery = Effect.fnUntraced(function* (search: string) {
  const sent = yield* readQuery(search, AuthQuery)
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ""))
  const { state, limit, ...fields } = yield* checkInput(AuthQuery, given, "query.")
  const codeRequest: CodeRequest = { ...fields, ...(limit === undefined ? {} : { limit }) }
  yield* readCodeRequest(codeRequest)
  return { codeRequest, state } satisfies AuthQuery
})

/**
 * Where the authorization page sends the user, and how its policy names that. Rule: authorization#authorization-page.
 *
 * An accepted callback URL with more parameters, after those that it has. It has no fragment.
 */
export const callbackWith = (url: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const added = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  const join = !url.includes("?") ? "?" : /[?&]$/.test(url) ? "" : "&"
  return `${url}${join}${added.join("&")}`
}

/**
 * The source for `form-action`, which browsers also apply to where a form is redirected. A host may have characters that end a directive, and
 * an IPv6 address is no source, so other hosts than plain names are named by their scheme.
 */
export const formTarget = (url: string): string => {
  const origin = callbackOrigin(url)
  return /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/.test(origin) ? origin : `${new URL(origin).protocol}`
}

interface Target {
  readonly search: string
  readonly requestId: string
  readonly headers: Record<string, string>
}

/** A form with a key is far shorter. */
const maxFormBytes = 8_192

/** `callback`: where its form may lead. */
const html = (status: number, body: string, headers: Record<string, string>, callback?: string) =>
  answerPage(status, body, headers, callback === undefined ? undefined : formTarget(callback))

const redirect = (location: string, headers: Record<string, string>): AppAnswer => ({
  status: 303,
  body: "",
  headers: { ...headers, "content-type": "text/plain; charset=utf-8", location, "referrer-policy": "no-referrer" }
})

/** What is wrong, for whoever looks at the page. */
const problemsOf = (failure: Failure): readonly string[] => {
  const issues = failure.issues ?? []
  return issues.length === 0
    ? [
        reasons[failure.reason].means,
        ...(failure.reason === "public_url_required" ? [reasons[failure.reason].remedy] : [])
      ]
    : issues.map(({ path, message }) => (path === "" ? message : `${path.replace(/^query\./, "")}: ${message}`))
}

/** The user whom the host has signed in, if it is one who manages the account. Whom the host refuses, no key helps. */
const signedIn = (request: AppRequest) =>
  Effect.matchEffect(identifyCaller(request), {
    onSuccess: (caller) => Effect.succeed(caller.kind === "management" ? caller : undefined),
    onFailure: (failure) => (failure.reason === "refused_by_host" ? Effect.fail(failure) : Effect.succeed(undefined))
  })

export const answerAuthPage = (
  settings: AppSettings,
  request: AppRequest,
  target: Target
): Effect.Effect<AppAnswer, never, Services> =>
  Effect.catch(answered(settings, request, target), (failure: Failure) =>
    html(failure.status, problemPage(problemsOf(failure)), target.headers)
  )

const answered = Effect.fnUntraced(function* (settings: AppSettings, request: AppRequest, target: Target) {
  if (!knowsAddress(settings)) return yield* addressUnknown()
  const query = yield* readAuthQuery(target.search)
  const user = yield* signedIn(request)
  return yield* request.method === "POST"
    ? decide(settings, request, target, query, user)
    : consent(200, query, user, target)
})

const consent = (
  status: number,
  { codeRequest }: AuthQuery,
  user: Caller | undefined,
  { headers }: Target,
  problem?: string
) =>
  html(
    status,
    consentPage({ codeRequest, user: user && (user.user_id ?? "a user of this site"), problem }),
    headers,
    codeRequest.callback_url
  )

const decide = Effect.fnUntraced(function* (
  settings: AppSettings,
  request: AppRequest,
  target: Target,
  query: AuthQuery,
  user: Caller | undefined
) {
  const { codeRequest, state } = query
  const { headers, requestId } = target
  if (!(yield* isOwnForm(settings, request)))
    return yield* html(403, problemPage([`The form was not sent by this page. ${errorMessages[403]}`]), headers)
  const form = yield* readForm(settings, request)
  const decision = form.get("decision")
  if (decision === "deny")
    return codeRequest.callback_url === undefined
      ? yield* html(200, deniedPage(), headers)
      : redirect(callbackWith(codeRequest.callback_url, { error: "access_denied", state }), headers)
  if (decision !== "allow") return yield* consent(400, query, user, target, "Choose Allow or Deny.")
  const caller = user ?? (yield* callerOfKey(form.get("management_key") ?? ""))
  if (caller === undefined) return yield* consent(401, query, user, target, "This key is not valid.")
  if (caller.kind !== "management")
    return yield* consent(403, query, user, target, "This is an API key. Only a management key can allow an app.")
  const restraint = caller.restrictions === null ? undefined : restraintOn(declared, caller.restrictions)
  if (restraint !== undefined) return yield* consent(403, query, user, target, restraint.message)
  // Whoever hangs up leaves nothing half done.
  const { id } = yield* Effect.uninterruptible(
    actingAs(
      { actor: actorOf(caller), operation: "createAuthorizationCode", request_id: requestId },
      createAuthorizationCode(caller, codeRequest)
    )
  )
  return codeRequest.callback_url === undefined
    ? yield* html(200, codePage(id), headers)
    : redirect(callbackWith(codeRequest.callback_url, { code: id, state }), headers)
})

/** Undefined for a key that is not valid. */
const callerOfKey = (key: string) =>
  Effect.map(Effect.option(authenticate(`Bearer ${key.trim()}`)), Option.getOrUndefined)

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined)

/**
 * Whether a form was sent by this page: browsers name the origin of each form, and no other site can. The scheme is not compared, since a
 * proxy may end TLS.
 */
const isOwnForm = (settings: AppSettings, request: AppRequest): Effect.Effect<boolean> =>
  Effect.map(publicAddress(settings, request), (address) => {
    const { origin, "sec-fetch-site": site } = request.headers
    if (site !== undefined && site !== "same-origin") return false
    return origin !== undefined && hostOf(origin) !== undefined && hostOf(origin) === hostOf(address)
  })

const readForm = Effect.fnUntraced(function* (settings: AppSettings, request: AppRequest) {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded")
    return yield* new UnsupportedMediaType({ reason: "unsupported_media_type" })
  const length = Number(request.headers["content-length"] ?? Number.NaN)
  if (!(length <= maxFormBytes)) return yield* new TooLarge({ reason: "payload_too_large" })
  const bytes = yield* Effect.mapError(request.readBytes(settings.bodies), refusalOf)
  return new URLSearchParams(new TextDecoder().decode(bytes))
})
