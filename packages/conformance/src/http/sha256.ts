/** Digests that the cases compare with, by WebCrypto, which every runtime has. */
const sha256 = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))

export const sha256Hex = async (text: string): Promise<string> =>
  Array.from(await sha256(text), (byte) => byte.toString(16).padStart(2, "0")).join("")

export const sha256Base64url = async (text: string): Promise<string> =>
  btoa(String.fromCharCode(...(await sha256(text))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
