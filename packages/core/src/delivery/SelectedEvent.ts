/** What is recorded beside a usage event so that it is delivered, and kept with its bodies. Rule: observability#selection, usage#prompt-logging. */
import type { UsageEvent } from "../usage/UsageEvent.ts"

export interface SelectedEvent {
  /** The destinations that receive the event, all of its workspace. Without one it is not in the stream. */
  readonly destinations: readonly string[]
  /** Input and output, encrypted (`sealBodies`); `null` if no destination receives them. */
  readonly sealed_bodies: Uint8Array | null
  /** The same, encrypted for the table of kept bodies (`placeOfContent`); `null` if the workspace does not keep them. */
  readonly sealed_content: Uint8Array | null
}

/** By the event itself, because several events of a request may have one id: the first is recorded, and delivered as it was selected. */
export type SelectedEvents = ReadonlyMap<UsageEvent, SelectedEvent>

export const noneSelected: SelectedEvents = new Map()
