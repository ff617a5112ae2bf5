/** What keeps an erasure from going on. Rule: access#erasures. */
import type { ErasureObstacle } from "@gatewarden/contract"

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
