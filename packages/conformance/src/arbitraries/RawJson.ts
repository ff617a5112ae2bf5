/** JSON text that no value stands for: `1e999`, a lone surrogate, a key given twice. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Like `JSON.stringify`, with raw texts left as they are and members without a value left out. */
export const printJson = (value: unknown): string => {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(printJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${printJson(member)}`).join(",")}}`
}
