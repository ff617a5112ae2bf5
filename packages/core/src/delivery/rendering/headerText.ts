const utf8 = new TextEncoder()

/**
 * A value that can be a header: control characters, which would begin another header, are dropped; characters beyond Latin-1, which `fetch`
 * refuses, become the bytes of their UTF-8.
 */
export const headerText = (value: string): string => {
  // eslint-disable-next-line no-control-regex
  const clean = value.replace(/[\u0000-\u001f\u007f]/g, "").trim()
  return /[^\u0000-\u00ff]/.test(clean) ? String.fromCharCode(...utf8.encode(clean)) : clean
}
