/** Puts values back in place of their placeholders, in a whole text and in a stream that cuts them anywhere. */

/** One stream of text, such as the answer's content, or the arguments of one tool call. */
export interface RestoredStream {
  /** What can be passed on now; the start of what may become a placeholder is held back. */
  readonly push: (chunk: string) => string
  /** What was held back when the stream ended. */
  readonly end: () => string
}

/** How values are written back. */
export interface RestoreOptions {
  /** The text is JSON, or a piece of it: values are written as they stand inside its strings. */
  readonly json?: boolean
}

const placeholder = /\[[^[\]]*_\d+\]/g

const needsEscape = /["\\\p{Cc}\p{Surrogate}]/u

const inString = (value: string): string => JSON.stringify(value).slice(1, -1)

/** Knows the values of one request. Texts that are no placeholder of that request stay as they are. */
export class Restorer {
  /** Out of sight of logs and JSON. */
  readonly #values: ReadonlyMap<string, string>
  /** No placeholder is longer. */
  readonly #longest: number

  constructor(values: ReadonlyMap<string, string>) {
    const known = new Map(values)
    let longest = 0
    for (const [name, value] of values) {
      const escaped = needsEscape.test(name) ? inString(name) : name
      if (escaped !== name) known.set(escaped, value)
      longest = Math.max(longest, escaped.length)
    }
    this.#values = known
    this.#longest = longest
  }

  /** A whole text with every value back in its place. */
  text(text: string, { json = false }: RestoreOptions = {}): string {
    return text.replace(placeholder, (found) => {
      const value = this.#values.get(found)
      return value === undefined ? found : json ? inString(value) : value
    })
  }

  /** The same for a text that comes in pieces; one for each text that is streamed, since it remembers what it holds back. */
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
