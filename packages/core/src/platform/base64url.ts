/** Base64url without padding (RFC 4648 5). */
export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

/** The bytes of base64url without padding; undefined for any other text. */
export const fromBase64url = (text: string): Uint8Array | undefined => {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined
  const decoded = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
  return Uint8Array.from(decoded, (character) => character.charCodeAt(0))
}
