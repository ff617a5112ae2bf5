import type { SelectedEvent, UsageEvent } from "../../ports/usage.ts"

/** An event that waits for destinations. */
export interface StreamedEvent {
  readonly seq: number
  readonly account_id: string
  readonly workspace_id: string
  readonly event_id: string
  /** Epoch milliseconds. */
  readonly recorded_at: number
  readonly destinations: readonly string[]
  readonly sealed_bodies: Uint8Array | null
}

/** The stream of selected events, in the order in which they were recorded. */
export class DeliveryStream {
  readonly #rows = new Map<number, StreamedEvent>()
  #last = 0

  add(
    account_id: string,
    event: Pick<UsageEvent, "id" | "workspace_id" | "recorded_at">,
    selected: Omit<SelectedEvent, "sealed_content">
  ): void {
    const seq = ++this.#last
    this.#rows.set(seq, {
      seq,
      account_id,
      workspace_id: event.workspace_id,
      event_id: event.id,
      recorded_at: Date.parse(event.recorded_at),
      ...selected
    })
  }

  /** Rows after a position, in their order. Rows that are removed meanwhile are left out. */
  *after(position: number): Generator<StreamedEvent> {
    for (const row of this.#rows.values()) if (row.seq > position) yield row
  }

  replace(row: StreamedEvent): void {
    if (this.#rows.has(row.seq)) this.#rows.set(row.seq, row)
  }

  remove(seq: number): void {
    this.#rows.delete(seq)
  }

  get size(): number {
    return this.#rows.size
  }
}
