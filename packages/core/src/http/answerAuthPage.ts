/**
 * The page on which a user lets an app have a key: `/auth` of the PKCE flow.
 *
 * Rule: authorization#authorization-page. Source: RFC 6749 4.1.2; RFC 7636 4.3; RFC 9700 4.16. Who the user is says the host, or a management
 * key that is sent with the consent and kept nowhere.
 */
import { createAuthorizationCode as declared, errorMessages, reasons } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { authenticate } from "../access/authenticate.ts"
import { restraintOn } from "../access/restrictions.ts"
import { createAuthorizationCode } from "../authorization/createAuthorizationCode.ts"
import { actingAs } from "../ports/changes.ts"
import { type Failure, TooLarge, UnsupportedMediaType } from "../value/failure.ts"
import type { AppAnswer } from "./AppAnswer.ts"
import type { AppRequest } from "./AppRequest.ts"
import type { AppSettings } from "./AppSettings.ts"
import type { Services } from "./Services.ts"
import { actorOf } from "./answerOperation.ts"
import { codePage, consentPage, deniedPage, problemPage } from "./authPageHtml.ts"
import { callbackWith, formTarget } from "./callbackAddress.ts"
import { answerPage } from "./htmlPage.ts"
import { identifyCaller } from "./identifyCaller.ts"
import { addressUnknown, knowsAddress, publicAddress } from "./publicAddress.ts"
import { type AuthQuery, readAuthQuery } from "./readAuthQuery.ts"
import { refusalOf } from "./receiveBody.ts"

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
  { asked }: AuthQuery,
  user: Caller | undefined,
  { headers }: Target,
  problem?: string
) =>
  html(
    status,
    consentPage({ asked, user: user && (user.user_id ?? "a user of this site"), problem }),
    headers,
    asked.callback_url
  )

const decide = Effect.fnUntraced(function* (
  settings: AppSettings,
  request: AppRequest,
  target: Target,
  query: AuthQuery,
  user: Caller | undefined
) {
  const { asked, state } = query
  const { headers, requestId } = target
  if (!(yield* isOwnForm(settings, request)))
    return yield* html(403, problemPage([`The form was not sent by this page. ${errorMessages[403]}`]), headers)
  const form = yield* readForm(settings, request)
  const decision = form.get("decision")
  if (decision === "deny")
    return asked.callback_url === undefined
      ? yield* html(200, deniedPage(), headers)
      : redirect(callbackWith(asked.callback_url, { error: "access_denied", state }), headers)
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
      createAuthorizationCode(caller, asked)
    )
  )
  return asked.callback_url === undefined
    ? yield* html(200, codePage(id), headers)
    : redirect(callbackWith(asked.callback_url, { code: id, state }), headers)
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
