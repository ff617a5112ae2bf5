/** A tracer that keeps what an exporter would send of every span: name, attributes, events, links, and how it ended. */
import { Cause, Exit, Tracer } from "effect"

export interface RecordedSpans {
  readonly tracer: Tracer.Tracer
  /** One line of JSON for each span that has ended. */
  readonly lines: () => readonly string[]
}

const printed = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part))

export const recordingTracer = (): RecordedSpans => {
  const lines: string[] = []

  class RecordedSpan extends Tracer.NativeSpan {
    override end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
      super.end(endTime, exit)
      lines.push(
        printed({
          name: this.name,
          traceId: this.traceId,
          attributes: [...this.attributes],
          events: this.events,
          links: this.links.map(({ attributes }) => attributes),
          // Exporters send errors with their messages and stacks; values are never sent.
          errors: Exit.isFailure(exit)
            ? [
                Cause.pretty(exit.cause),
                ...Cause.prettyErrors(exit.cause).map((error) => [error.name, error.message, error.stack])
              ]
            : []
        })
      )
    }
  }

  return {
    tracer: Tracer.make({ span: (options) => new RecordedSpan(options) }),
    lines: () => lines
  }
}
