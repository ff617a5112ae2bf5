const utf8 = new TextEncoder()

/**
 * JSON as bytes. `JSON.stringify` writes half a surrogate pair as an escape, for which ClickHouse, Snowflake and others refuse the whole
 * request: it becomes U+FFFD. An escaped backslash is passed over, so that text which only looks like an escape stays.
 */
export const jsonText = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "null"
  return text.includes("\\ud")
    ? text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === "\\\\" ? found : "\ufffd"))
    : text
}

export const encodeJson = (value: unknown): Uint8Array => utf8.encode(jsonText(value))
