/**
 * Who makes a request, in the words of the host that embeds an instance and authenticates its own users.
 *
 * Rule: access#host-callers: management acts on every workspace of an account, anybody else in one.
 */
import { text } from "@gatewarden/contract"
import * as z from "zod"

/** No name that a store is asked for has U+0000 or half a character in it. */
const named = (max: number) =>
  text(1, max).refine((value) => !value.includes("\0") && !/\p{Surrogate}/u.test(value), {
    message: "Contains U+0000 or a lone surrogate"
  })
const name = named(256)

/** What a host may call an account that it makes. */
export const AccountName = named(100)

const common = {
  /** The account's name; `default` exists from the start. */
  account: name,
  /** A lasting id of whoever calls: the author of what they create, and by whom limits and repetitions are counted. */
  user: name
}

/** A user of the host: `management` acts on every workspace of the account, `normal` in one. */
export const HostCaller = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("management"), ...common }),
  /** `workspace`: id or slug; the account's default one when not given. */
  z.object({ kind: z.literal("normal"), ...common, workspace: name.optional() })
])
export type HostCaller = z.output<typeof HostCaller>

/** `refuse`: 401, whatever key was sent. Nothing: the host does not know them, so a key decides. */
export type HostAnswer = HostCaller | "refuse" | undefined

/** A host's own function that says who makes a request. It must leave the body unread. */
export type AskHost = (request: Request) => HostAnswer | Promise<HostAnswer>
