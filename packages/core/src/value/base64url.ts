/** Base64url without padding (RFC 4648 5). */
export const base64url = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/**
 * The bytes of base64url without padding; undefined for any other text. Only the canonical text is accepted: unused bits of the last
 * character must be 0 (RFC 4648 3.5), so that equal bytes have equal texts.
 */
export const fromBase64url = (text: string): Uint8Array | undefined => {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined
  const decoded = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
  const bytes = Uint8Array.from(decoded, (character) => character.charCodeAt(0))
  return base64url(bytes) === text ? bytes : undefined
}
