/** A certificate for a name, made while a test runs: it never expires in the repository. Source: RFC 5280 4.1. */
import { generateKeyPairSync, sign, X509Certificate } from "node:crypto"

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const identifier = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const time = (text: string) => der(0x18, Buffer.from(text))

const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"))

export const selfSigned = (name: string): { readonly key: string; readonly cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const commonName = sequence(der(0x31, sequence(identifier("550403"), der(0x0c, Buffer.from(name)))))
  const subjectAltName = sequence(identifier("551d11"), der(0x04, sequence(der(0x82, Buffer.from(name)))))
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    commonName,
    sequence(time("20200101000000Z"), time("99991231235959Z")),
    commonName,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(subjectAltName))
  )
  const signature = der(0x03, Buffer.from([0]), sign("sha256", signed, privateKey))
  const certificate = new X509Certificate(sequence(signed, ecdsaWithSha256, signature))
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert: certificate.toString() }
}
