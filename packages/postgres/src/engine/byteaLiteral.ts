/** Bytes as text that PostgreSQL reads as `bytea`. */
export const byteaLiteral = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString("hex")}`
