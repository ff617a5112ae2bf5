/** Puts values back in place of their placeholders, in a whole text and in a stream that cuts them anywhere. */
/** One stream of text, such as the answer's content, or the arguments of one tool call. */
export interface RestoredStream {
  /**
   * Takes a piece of the text.
   *
   * @param chunk the piece as it arrived
   * @returns what can be passed on now; the start of a possible placeholder is held back
   * @throws nothing
   * @example
   * const passedOn = stream.push("I wrote to [EMA")
   */
  readonly push: (chunk: string) => string
  /**
   * Ends the text.
   *
   * @returns what was held back
   * @throws nothing
   * @example
   * const rest = stream.end()
   */
  readonly end: () => string
}

/** How values are written back. */
export interface RestoreOptions {
  /** The text is JSON, or a piece of it: values are written as they stand inside its strings. */
  readonly json?: boolean
}

const placeholder = /\[[^[\]]*_\d+\]/g

const needsEscape = /["\\\p{Cc}\p{Surrogate}]/u

/**
 * How much is written back into one answer, in characters, all together: a model may repeat a placeholder of a long value as often as it
 * likes, and no answer would be the longest.
 */
const copies = 16
const leastRestored = 65_536
const mostRestored = 8_388_608

const inString = (value: string): string => JSON.stringify(value).slice(1, -1)

/** Puts the redacted values of one request back in place of their placeholders. An admission with `reversible_redaction` has one. */
export class Restorer {
  /** Out of sight of logs and JSON. */
  readonly #values: ReadonlyMap<string, string>
  /** No placeholder is longer. */
  readonly #longest: number
  /** How much may still be written back. */
  #left: number

  constructor(values: ReadonlyMap<string, string>) {
    const known = new Map(values)
    let longest = 0
    let length = 0
    for (const [name, value] of values) {
      const escaped = needsEscape.test(name) ? inString(name) : name
      if (escaped !== name) known.set(escaped, value)
      longest = Math.max(longest, escaped.length)
      length += value.length
    }
    this.#left = Math.min(Math.max(copies * length, leastRestored), mostRestored)
    this.#values = known
    this.#longest = longest
  }

  /**
   * Restores a whole text. What is no placeholder of this request stays as it is, and so does a placeholder once its value would be more than
   * is written back for one request: sixteen times the length of all values, at least 64 KiB and at most 8 MiB of characters.
   *
   * @param text what the model wrote
   * @param options see [RestoreOptions](#restoreoptions)
   * @returns the text with every value in its place
   * @throws nothing
   * @example
   * const text = admission.restore?.text("I wrote to [EMAIL_1].") ?? "I wrote to [EMAIL_1]."
   */
  text(text: string, options: RestoreOptions = {}): string {
    const { json = false } = options
    return text.replace(placeholder, (found) => {
      const value = this.#values.get(found)
      if (value === undefined || value.length > this.#left) return found
      const written = json ? inString(value) : value
      this.#left -= written.length
      return written
    })
  }

  /**
   * How much longer a text would become, so that there is room for it before it is written.
   *
   * @param text what the model wrote, or JSON with it
   * @returns characters, at most as many as are still written back
   * @throws nothing
   * @example
   * const more = admission.restore?.growth("I wrote to [EMAIL_1].") ?? 0
   */
  growth(text: string): number {
    let more = 0
    for (const [found] of text.matchAll(placeholder)) {
      more += this.#values.get(found)?.length ?? 0
      if (more >= this.#left) return this.#left
    }
    return more
  }

  /**
   * Restores a text that arrives in pieces, which may cut a placeholder anywhere. Make one for each text that is streamed.
   *
   * @param options see [RestoreOptions](#restoreoptions)
   * @returns a stream that remembers the piece that it holds back
   * @throws nothing
   * @example
   * const stream = admission.restore?.stream()
   * const passedOn = stream?.push("I wrote to [EMA")
   */
  stream(options: RestoreOptions = {}): RestoredStream {
    let held = ""
    return {
      push: (chunk) => {
        const text = held + chunk
        const open = text.lastIndexOf("[")
        const isOpen = open !== -1 && text.length - open < this.#longest && !text.includes("]", open)
        held = isOpen ? text.slice(open) : ""
        return this.text(isOpen ? text.slice(0, open) : text, options)
      },
      end: () => {
        const rest = this.text(held, options)
        held = ""
        return rest
      }
    }
  }
}
