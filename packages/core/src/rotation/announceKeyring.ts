/** Rule: secrets#key-rotation. */
import { Effect } from "effect"
import { Entropy } from "../platform/Entropy.ts"
import { ProcessName } from "../platform/ProcessName.ts"
import { withIdleTimers } from "../platform/idleClock.ts"
import { Processes } from "../ports/secrets.ts"
import type { Keyring } from "../vault/Keyring.ts"

const announceEvery = "15 seconds"

/** Three announcements may fail before a process that runs is no longer listed. A killed process is listed for as long. */
export const announcedSeconds = 60

/** Announces this process and the ids of its keys until the scope closes. */
export const announceKeyring = Effect.fn("announceKeyring")(function* (keyring: Keyring) {
  const processes = yield* Processes
  const id = (yield* Entropy).uuid()
  const { primary, byId } = keyring
  const key_ids = [primary.id, ...[...byId.keys()].filter((key) => key !== primary.id)]
  const announce = processes.announce({ id, ...(yield* ProcessName), key_ids }, announcedSeconds)
  yield* Effect.acquireRelease(announce, () => Effect.ignoreCause(processes.withdraw(id)))
  yield* Effect.sleep(announceEvery).pipe(
    Effect.andThen(Effect.ignoreCause(announce)),
    Effect.forever,
    Effect.withTracerEnabled(false),
    withIdleTimers,
    Effect.forkScoped
  )
})
