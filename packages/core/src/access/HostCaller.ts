import { noUser, text } from "@gatewarden/contract/internal"
import * as z from "zod"

/** A name that is looked up in a store must not contain U+0000 or a lone surrogate. */
const named = (max: number) =>
  text(1, max).refine((value) => !value.includes("\0") && !/\p{Surrogate}/u.test(value), {
    message: "Contains U+0000 or a lone surrogate"
  })
const name = named(256)

/** The rules for the name of a new account. */
export const AccountName = named(100)

const common = {
  /** The account's name; `default` exists from the start. */
  account: name,
  /** A permanent id of the user: recorded as author, and used for rate limits and idempotency. */
  user: name.refine((id) => id !== noUser, { message: "Stands for keys without a user" })
}

/**
 * The caller of a request, as a host that authenticates its own users describes it.
 *
 * Rule: access#host-callers: a management caller acts on every workspace of an account, any other caller in one.
 *
 * A user of the host: `management` acts on every workspace of the account, `normal` in one.
 */
export const HostCaller = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("management"), ...common }),
  /** `workspace`: id or slug; the account's default one when not given. */
  z.object({ kind: z.literal("normal"), ...common, workspace: name.optional() })
])
export type HostCaller = z.output<typeof HostCaller>

/** `refuse`: 401, whatever key was sent. `undefined`: the host does not know the caller, so a key decides. */
export type HostAnswer = HostCaller | "refuse" | undefined

/** A host's function that maps a request to its caller. It must not read the body. */
export type AskHost = (request: Request) => HostAnswer | Promise<HostAnswer>
