import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { BlockList, isIP } from "node:net"
import { isPublicAddress } from "../../core/src/platform/isPublicAddress.ts"

const rangesV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4"
]
const rangesV6 = ["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]

const listOf = (ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = "", bits] = range.split("/")
    list.addSubnet(address, Number(bits), family)
  }
  return list
}
const special = listOf(rangesV4, "ipv4")
const notGlobal = listOf(rangesV6, "ipv6")

const numberOf = (radix: number, groups: readonly string[]): bigint =>
  groups.reduce((sum, part) => sum * BigInt(radix) + BigInt(radix === 256 ? part : `0x${part || "0"}`), 0n)

/** The first and the last address of a range, and those beside them. */
const bordersOf = (range: string, size: number, read: (address: string) => bigint): readonly bigint[] => {
  const [address = "", bits = ""] = range.split("/")
  const first = read(address)
  const last = first + (1n << BigInt(size - Number(bits))) - 1n
  return [first - 1n, first, last, last + 1n].filter((value) => value >= 0n && value < 1n << BigInt(size))
}
const readV4 = (address: string): bigint => numberOf(256, address.split("."))
const readV6 = (address: string): bigint => {
  const [head = "", end = ""] = address.split("::")
  const [before, after] = [head, end].map((half) => (half === "" ? [] : half.split(":")))
  const parts = [...(before ?? []), ...Array.from({ length: 8 }, () => "0")].slice(0, 8 - (after?.length ?? 0))
  return numberOf(65_536, [...parts, ...(after ?? [])])
}
const writtenV4 = (value: bigint): string => [24n, 16n, 8n, 0n].map((bits) => (value >> bits) & 255n).join(".")
const writtenV6 = (value: bigint): string =>
  Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 65_535n).toString(16)).join(":")

/** Addresses at the borders of ranges, and anywhere. */
const byte = fc.oneof(
  fc.constantFrom(0, 1, 10, 64, 100, 127, 128, 168, 169, 172, 192, 198, 203, 223, 224, 254, 255),
  fc.nat({ max: 255 })
)
const v4 = fc.oneof(
  { weight: 30, arbitrary: fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join(".")) },
  { weight: 1, arbitrary: fc.constantFrom("168.63.129.15", "168.63.129.16", "168.63.129.17", "169.254.169.254") }
)
const group = fc.oneof(
  fc.constantFrom(0, 1, 0xffff, 0x2000, 0x2001, 0x2002, 0x3fff, 0xdb8, 0xfc00, 0xfe80, 0xff02, 0x1ff, 0x200),
  fc.nat({ max: 0xffff })
)
const v6 = fc
  .tuple(group, group, group, group, group, group, group, group)
  .map((groups) => groups.map((part) => part.toString(16)).join(":"))

describe("isPublicAddress", () => {
  it("knows both borders of every special range", () => {
    for (const value of rangesV4.flatMap((range) => bordersOf(range, 32, readV4)))
      assert.strictEqual(isPublicAddress(writtenV4(value)), !special.check(writtenV4(value), "ipv4"), writtenV4(value))
    for (const value of rangesV6.flatMap((range) => bordersOf(range, 128, readV6)))
      assert.strictEqual(
        isPublicAddress(writtenV6(value)),
        !notGlobal.check(writtenV6(value), "ipv6"),
        writtenV6(value)
      )
  })

  it("IPv4: everything but the special ranges", () => {
    fc.assert(
      fc.property(v4, (address) => assert.strictEqual(isPublicAddress(address), !special.check(address, "ipv4"))),
      {
        numRuns: 5_000
      }
    )
  })

  it("IPv6: global unicast but the special ranges", () => {
    fc.assert(
      fc.property(v6, (address) => {
        if (address.startsWith("0:0:0:0:0:ffff:") || address.startsWith("64:ff9b:0:0:0:0:")) return
        assert.strictEqual(isPublicAddress(address), !notGlobal.check(address, "ipv6"), address)
      }),
      { numRuns: 5_000 }
    )
  })

  it("IPv6 that stands for IPv4 is judged as that", () => {
    fc.assert(
      fc.property(v4, (address) => {
        const expected = !special.check(address, "ipv4")
        const url = new URL(`http://[::ffff:${address}]/`).hostname.slice(1, -1)
        for (const written of [`::ffff:${address}`, `64:ff9b::${address}`, `0:0:0:0:0:FFFF:${address}`, url])
          assert.strictEqual(isPublicAddress(written), expected, written)
      })
    )
  })

  it("does not care how an address is written", () => {
    for (const address of [
      "::",
      "::1",
      "fe80::1%eth0",
      "fc00::",
      "FD12:3456::1",
      "::127.0.0.1",
      "ff02::1",
      "2001:db8::1"
    ])
      assert.isFalse(isPublicAddress(address), address)
    for (const address of [
      ...["2606:4700:4700::1111", "2A00:1450::", "2001:4860:4860::8888", "8.8.8.8"],
      ...["223.255.1.1", "1.255.1.1", "1.1.255.1", "1.1.1.255"]
    ])
      assert.isTrue(isPublicAddress(address), address)
  })

  it("nothing else is an address", () => {
    const texts = fc.oneof(
      fc.constantFrom(
        "",
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "01.2.3.4.",
        "2606::4700::1",
        "2606:4700",
        ":1",
        "1::2:3:4:5:6:7:8",
        "localhost",
        "8.8.8.8:80",
        "[2606::1]"
      ),
      fc.stringMatching(/^[0-9a-f:.]{1,20}$/)
    )
    fc.assert(
      fc.property(texts, (text) => {
        if (isIP(text) === 0) assert.isFalse(isPublicAddress(text), text)
      }),
      { numRuns: 5_000 }
    )
  })

  it.each([
    ["1.1.1.1", "a1.1.1.1", "1.1.1.1a", "1234.1.1.1", "1.1234.1.1", "1.1.1234.1", "1.1.1.1234", "1.1.1", "1.1.1.1.1"],
    ["9.9.9.9", "256.1.1.1", "1.256.1.1", "1.1.256.1", "1.1.1.256", "", "1.1.1.", "1..1.1", "1.1.1.1%eth0"],
    ["2606:1:2:3:4:5:6:7", "2606:1:2:3:4:5:6", "2606:1:2:3:4:5:6:7:8", "2606:1:2:3:4:5:6:"],
    [
      "2606:1:2:3:4:5:6::",
      "2606:1:2:3:4:5:6:7::",
      "2606:1:2:3::4:5:6:7",
      "2606::1::2",
      "2606:1:2:3::4:5:6:7::8",
      "2606:::1",
      ":2606::1"
    ],
    ["2606::1%eth0", "2606::12345", "2606::g", "2606::1g", "2606::g1", "2606:: 1", "[2606::1]", "2606::1:"],
    ["2606::1.1.1.1", "2606::1.1.1", "2606::1.1.1.256", "2606::1.1.1.1:1", "2606::a1.1.1.1", "2606:1.1.1.1"],
    ["::ffff:1.1.1.1", "::ffff:10.1.1.1", "::ffff:a01:101", "::fffe:1.1.1.1", "1::ffff:1.1.1.1", "::ffff:0:1.1.1.1"],
    ["64:ff9b::101:101", "64:ff9b::a01:101", "64:ff9b:0:0:0:1:1.1.1.1", "64:ff9a::1.1.1.1", "::1.1.1.1"]
  ])("is %s, and none of what looks like it", (address, ...others) => {
    assert.isTrue(isPublicAddress(address))
    for (const other of others) assert.isFalse(isPublicAddress(other), other)
  })
})
