/**
 * The shape of a declaration: everything that routing, documentation and tests need to know of an operation.
 *
 * An operation is a value. It declares the interface; the core implements the behaviour.
 */
import type * as z from "zod"
import type { ErrorStatus } from "./error.ts"

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

/** Who may call: anyone, any valid key, or a management key only. */
export type Access = "anyone" | "anyKey" | "managementKey"

/** How a request body arrives. Sizes are in bytes. */
export type Body =
  | {
      readonly kind: "json"
      readonly schema: z.ZodType
      readonly maxBytes: number
      readonly maxValues: number
      /** A request may leave the body out, because no field of it is required: it counts as `{}` (Rule: requests#absent-bodies). */
      readonly optional?: true
      /** The same fields may come as `application/x-www-form-urlencoded`, all of them strings. */
      readonly form?: true
      /** Another name of JSON that the body may be sent under. */
      readonly mediaType?: string
      /** Half of a surrogate pair becomes U+FFFD, where it would refuse the body (Rule: usage#recording). */
      readonly repairs?: true
      /** The value of the only field, by this schema, may come without the object around it. */
      readonly flat?: { readonly field: string; readonly schema: z.ZodType }
    }
  /** `application/json` as above, or one `line` of JSON a line as `application/x-ndjson`, without a cap on their number. */
  | {
      readonly kind: "jsonOrLines"
      readonly schema: z.ZodType
      readonly maxBytes: number
      readonly maxValues: number
      readonly line: z.ZodType
      readonly maxLineBytes: number
      readonly repairs?: true
    }
  /** One file in the field `file` of `multipart/form-data`. */
  | { readonly kind: "file"; readonly maxBytes: number }

/** Things that are configured, and can be changed. */
export const nouns = [
  "account",
  "alert_channel",
  "authorization_code",
  "byok_credential",
  "catalog",
  "credit_grant",
  "destination",
  "external_user",
  "federation_policy",
  "directory_group",
  "directory_sync",
  "directory_user",
  "erasure",
  "file",
  "group_mapping",
  "guardrail",
  "key",
  "key_assignment",
  "key_rate_limits",
  "member_assignment",
  "organization_settings",
  "preset",
  "private_endpoint",
  "private_provider",
  "workspace",
  "workspace_budget",
  "workspace_member"
] as const
export type Noun = (typeof nouns)[number]

export const actions = ["create", "update", "delete", "assign", "unassign"] as const
export type Action = (typeof actions)[number]

export interface DeclaredChange {
  readonly noun: Noun
  readonly action: Action
}

/**
 * What a successful call changes: nothing, for reads; what was used or is delivered of it; or configuration, which the stream
 * of changes tells. A call that changes nothing may be interrupted at any time.
 */
export type ChangeDeclaration = "nothing" | "usage" | DeclaredChange

/** Nouns that a path names by `:id` or `:hash` and that lie in one workspace. */
export type NounOfWorkspace = "alert_channel" | "byok_credential" | "destination" | "guardrail" | "key" | "workspace"

/**
 * The workspace that a request is about: `named` by `workspace_id` in its query or body, otherwise the default one; that of the noun
 * which the path names; all that the key reaches (`reached`), for an operation that keeps to what lies in them; or `none`, for data that
 * all accounts share.
 */
export type WorkspaceOf = "named" | "reached" | "none" | NounOfWorkspace

/** A GET changes nothing. Any other method declares what it changes, or "nothing" when it is only a query with a body. */
type Declares<O> = O extends { readonly method: "GET" } ? { readonly changes: "nothing" } : unknown

export interface OperationShape {
  readonly id: string
  readonly method: Method
  /** Segments with a leading colon are parameters: `/guardrails/:id`. */
  readonly path: `/${string}`
  /** An older path of the same operation, which it still answers (Rule: requests#paths). */
  readonly alias?: `/${string}`
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly changes: ChangeDeclaration
  /** Gatewarden's own, though its path is beside those of the public API; paths below `/gateway/` are its own without saying so. */
  readonly own?: true
  /** A gateway key may call it too; every other operation refuses one with 403 (Rule: access#gateway-keys). */
  readonly gatewayKey?: true
  /** An API key that names another workspace than its own in the query is refused with 403, before anything is read. */
  readonly ownWorkspaceOnly?: true
  /**
   * Writes what all accounts share, which only the operator may. If the query has the parameter of this name, it writes what is the
   * account's own, for its management keys alone (Rule: access#operator).
   */
  readonly sharedWithout?: string
  /**
   * How a key that is restricted to workspaces is kept to them. Absent: the operation is about the whole account, and such a key may not
   * call it (Rule: access#restricted-keys).
   */
  readonly workspaceOf?: WorkspaceOf
  /**
   * The answer is an API key, or what becomes one. A key that is restricted to `resources` must have those that an API key may act on
   * (`resourcesOfApiKeys`), because otherwise it could do so with the one that it makes.
   */
  readonly mintsKeys?: true
  /**
   * It names or turns on an address that the account's BYOK credentials and prompts are sent to. A restricted key must name `byok` and
   * `prompts` among its `resources`, because otherwise it could read them there.
   */
  readonly sendsCredentials?: true
  /** A restricted key may call it only if its `resources` name that of the operation, which `null` does not (Rule: access#restricted-keys). */
  readonly namedResourceOnly?: true
  /** No restricted key may call it, because it could give away more than the key may itself. */
  readonly unrestrictedOnly?: true
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: Body
  readonly success: {
    readonly schema: z.ZodType
    /** The public API answers 201 here, other clients read 200 (Rule: requests#wire-profiles). */
    readonly creates?: true
    /** The status if it is not 200, to every client; 204 has no body. */
    readonly status?: 201 | 202 | 204
    /** The answer is bytes, streamed as `application/octet-stream` for no browser to show; `schema` is that of the stream. */
    readonly bytes?: true
    /** The types of such an answer, in place of `application/octet-stream`. */
    readonly byteTypes?: readonly string[]
    /** A type of text that the answer has instead of JSON, where the query asks for it. */
    readonly textType?: string
    /**
     * The answer may have megabytes: few such answers are made at once, each is printed a slice at a time, and other requests are answered
     * between slices. `"entity"`: one entity, which has at most about a megabyte and is printed at once; more of these are made at once.
     * `"usage"`: the answer is short, and sums what keys hold, or what workspaces spent, of which there may be very many rows.
     * `"rewrite"`: the answer is short, and the work encrypts megabytes of stored bodies again, batch by batch. Not for an operation that
     * calls others, who may take long.
     */
    readonly long?: true | "entity" | "usage" | "rewrite"
    /** Answers carry a strong ETag, and `If-None-Match` is honoured with 304. */
    readonly etag?: true
  }
  readonly errors: readonly ErrorStatus[]
  /**
   * Errors have the form that OAuth clients read, in place of the envelope (Rule: authorization#oauth-errors), or that of SCIM, whose
   * successes have SCIM's media type, too (Rule: scim#protocol).
   */
  readonly errorForm?: "oauth" | "scim"
  /** It calls an address that an account chose, or a mail server, which answer when they like: no transaction may wait for them. */
  readonly callsOut?: true
  /** Rows of the core's rate limit table that apply, by name. */
  readonly rateLimits?: readonly string[]
  /** One executable example. The tests run it against a world that has the named resources. */
  readonly example: {
    readonly params?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string>>
    readonly body?: unknown
    /** Undefined where the answer is bytes. */
    readonly response: unknown
  }
}

/** Declares an operation, keeping every literal type. */
export const operation = <const O extends OperationShape>(declaration: O & Declares<O>): O => declaration

/** Whether the public API does not have the operation, which refuses query parameters it does not know (Rule: requests#unknown-fields). */
export const isOwnOperation = ({ path, own }: Pick<OperationShape, "path" | "own">): boolean =>
  own === true || path.startsWith("/gateway/")

/** A JSON body within the ordinary cap of 1 MiB (Rule: requests#body-sizes). */
export const json = <S extends z.ZodType>(schema: S, maxBytes = 1_048_576, maxValues = maxJsonValues) =>
  ({ kind: "json", schema, maxBytes, maxValues }) as const

/** A JSON body without a required field, which a request may leave out. */
export const optionalJson = <S extends z.ZodType>(schema: S) => ({ ...json(schema), optional: true }) as const

/** A body that OAuth clients send as a form, and other clients as JSON. */
export const form = <S extends z.ZodType>(schema: S, maxBytes = 65_536) =>
  ({ ...json(schema, maxBytes), form: true }) as const

/** How many values a JSON body may hold: every object, array, string, number, boolean and null, keys aside. */
export const maxJsonValues = 500_000

/** The limit for a chat request, which is scanned, counted and returned as a whole: some 60,000 messages. */
export const maxChatValues = 200_000

export type ParamsOf<O extends OperationShape> = O["params"] extends z.ZodObject ? z.output<O["params"]> : {}
export type QueryOf<O extends OperationShape> = O["query"] extends z.ZodObject ? z.output<O["query"]> : {}
export type SuccessOf<O extends OperationShape> = z.output<O["success"]["schema"]>
export type StatusOf<O extends OperationShape> = O["errors"][number]
