export type Bound = Readonly<Record<string, unknown>>

/** The parameters of a statement: what was sent is never text of it. */
export class Parameters {
  readonly bound: Record<string, unknown> = {}
  private count = 0

  /** Where the value stands in the statement. */
  readonly put = (type: string, value: unknown): string => {
    const name = `p${this.count++}`
    this.bound[name] = value
    return `{${name}:${type}}`
  }

  readonly text = (value: string): string => this.put("String", value)
}
