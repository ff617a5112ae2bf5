import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { bucketOf } from "../../node/src/config/fileVariables.ts"
import { configurationJson, configurationTable } from "../../node/src/config/printConfiguration.ts"
import { type Configuration, readConfiguration } from "../../node/src/config/readConfiguration.ts"
import { variables } from "../../node/src/config/variables.ts"

const keyring = `k1:${Buffer.alloc(32, 1).toString("base64")}`
const postgres = "postgres://warden:s3cret-word@db.example/gate"

const read = (environment: Record<string, string>, files: Record<string, string> = {}) =>
  readConfiguration({
    environment,
    readFile: (path) => {
      const text = files[path]
      if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" })
      return text
    }
  })

const valid = (environment: Record<string, string>, files?: Record<string, string>): Configuration => {
  const result = read(environment, files)
  if ("errors" in result) throw new Error(result.errors.join("\n"))
  return result.configuration
}

const errors = (environment: Record<string, string>, files?: Record<string, string>): readonly string[] => {
  const result = read(environment, files)
  return "errors" in result ? result.errors : []
}

describe("readConfiguration", () => {
  it("has a default for everything that is needed", () => {
    const { values, database, warnings } = valid({})
    assert.deepStrictEqual(database, { kind: "embedded" })
    assert.deepStrictEqual(warnings, [])
    assert.strictEqual(values.HOST, "127.0.0.1")
    assert.strictEqual(values.PORT, 8787)
    assert.strictEqual(values.GATEWARDEN_DATA_DIR, "./.gatewarden")
    assert.strictEqual(values.GATEWARDEN_BASE_PATH, "/api/v1")
    assert.strictEqual(values.GATEWARDEN_WIRE, "auto")
    assert.strictEqual(values.GATEWARDEN_ANALYTICS_TIMEOUT_MS, 30_000)
    assert.strictEqual(values.GATEWARDEN_DRAIN_TIMEOUT_MS, 25_000)
    assert.isFalse(values.GATEWARDEN_ALLOW_PRIVATE_NETWORKS)
    assert.strictEqual(values.GATEWARDEN_TRUST_PROXY, 0)
    assert.isUndefined(values.GATEWARDEN_REGION)
  })

  describe("a bucket for files", () => {
    const access = { GATEWARDEN_S3_ACCESS_KEY_ID: "AKID", GATEWARDEN_S3_SECRET_ACCESS_KEY: "s3cret" }

    it.each([
      ["s3://gate-files", "gate-files", ""],
      ["s3://gate.files/", "gate.files", ""],
      ["s3://gate/a/b", "gate", "a/b/"],
      ["s3://gate/a/b/", "gate", "a/b/"]
    ])("%s", (place, bucket, prefix) => {
      const { values, entries } = valid({ ...access, GATEWARDEN_FILE_STORAGE: place })
      const { secretAccessKey, ...options } = bucketOf(values) ?? assert.fail()
      assert.deepStrictEqual(options, {
        bucket,
        prefix,
        endpoint: "https://s3.us-east-1.amazonaws.com",
        region: "us-east-1",
        accessKeyId: "AKID",
        sessionToken: undefined
      })
      assert.strictEqual(Redacted.value(secretAccessKey), "s3cret")
      assert.notInclude(JSON.stringify(entries), "s3cret")
    })

    it.each([
      "gate",
      "s3://",
      "s3://A",
      "s3://a",
      "s3://gate//b",
      "s3://gate/../b",
      "s3://gate/.",
      "s3://gate/a b",
      "s3://gate?x",
      "https://gate"
    ])("%s is none", (place) => {
      const [first] = errors({ ...access, GATEWARDEN_FILE_STORAGE: place })
      assert.include(first, 'expected "s3://bucket" or "s3://bucket/prefix"')
    })

    it("needs an access key, and says so of both parts", () => {
      assert.deepStrictEqual(
        errors({ GATEWARDEN_FILE_STORAGE: "s3://gate" }).map((line) => line.split(":")[0]),
        ["GATEWARDEN_S3_ACCESS_KEY_ID", "GATEWARDEN_S3_SECRET_ACCESS_KEY"]
      )
    })

    it("that is described but not chosen is most likely meant", () => {
      const { values, warnings } = valid(access)
      assert.isUndefined(bucketOf(values))
      assert.lengthOf(warnings, 1)
      assert.include(warnings[0], "GATEWARDEN_FILE_STORAGE is not")
    })
  })

  it("takes empty for unset", () => {
    const { values, entries } = valid({ PORT: "", GATEWARDEN_KEYRING: "", DATABASE_URL: "" })
    assert.strictEqual(values.PORT, 8787)
    assert.isUndefined(values.GATEWARDEN_KEYRING)
    assert.strictEqual(entries.find(({ name }) => name === "DATABASE_URL")?.source, "unset")
  })

  it.each(
    Object.keys(variables).filter(
      (name) => !["HOST", "GATEWARDEN_DATA_DIR", "GATEWARDEN_CATALOG"].includes(name) && !name.startsWith("OTEL_")
    )
  )("%s refuses nonsense and says what it expects", (name) => {
    const variable = variables[name as keyof typeof variables]
    const found = errors({ [name]: "n o n s e n s e" })
    assert.lengthOf(found, 1)
    assert.isTrue(found[0]?.startsWith(`${name}: `), found[0])
    assert.include(found[0], `; expected ${variable.expected}`)
  })

  it.each([
    ["PORT", ["0", "65535"], ["-1", "65536", "80a", "1e3", " 80"]],
    ["GATEWARDEN_BASE_PATH", ["/", "/api/v1", "/a"], ["api", "/api/", "//", "/a b", "/a?b"]],
    [
      "GATEWARDEN_S3_ENDPOINT",
      ["http://127.0.0.1:9000", "https://s3.example/"],
      ["s3.example", "https://u:p@s3", "https://a/b", "https://a?b"]
    ],
    ["GATEWARDEN_S3_REGION", ["eu-central-1", "auto"], ["EU", "a b", "a/b"]],
    ["GATEWARDEN_REGION", ["global", "europe", "us"], ["eu", "Europe"]],
    [
      "GATEWARDEN_REGION_HOSTS",
      ["eu.example.com=europe", "A.b=us, c.d=global"],
      ["a=b", "a", "a=us=us", "a=us,A=us", "a:80=us"]
    ],
    [
      "GATEWARDEN_MANAGEMENT_KEY",
      ["k".repeat(32), "~".repeat(256)],
      ["k".repeat(31), "k".repeat(257), `${"k".repeat(40)} `, `gwm-v1-${"0".repeat(49)}`]
    ],
    [
      "GATEWARDEN_KEYRING",
      [keyring, `${keyring},k2:${Buffer.alloc(32, 2).toString("base64")}`],
      ["k1:AAAA", `${keyring},${keyring}`, ":"]
    ],
    ["DATABASE_URL", ["memory:"], ["mysql://a/b", "postgres://[", "memory", "postgres"]]
  ])("%s draws its border", (name, accepted, refused) => {
    for (const text of accepted) assert.deepStrictEqual(errors({ [name]: text }), [], text)
    for (const text of refused) assert.lengthOf(errors({ [name]: text }), 1, text)
  })

  it("tells everything that is wrong at once, and repeats no secret", () => {
    const found = errors({
      PORT: "http",
      DATABASE_URL: "mysql://warden:s3cret-word@db/gate",
      GATEWARDEN_KEYRING: "k1:s3cret-word",
      GATEWARDEN_MANAGEMENT_KEY: "s3cret-word",
      GATEWARDEN_WIRE: "soap"
    })
    assert.deepStrictEqual(
      found.map((line) => line.split(":")[0]),
      ["PORT", "DATABASE_URL", "GATEWARDEN_MANAGEMENT_KEY", "GATEWARDEN_KEYRING", "GATEWARDEN_WIRE"]
    )
    assert.notInclude(found.join("\n"), "s3cret")
  })

  it("demands a keyring with PostgreSQL, in one line", () => {
    const found = errors({ DATABASE_URL: postgres })
    assert.lengthOf(found, 1)
    assert.isTrue(found[0]?.startsWith("GATEWARDEN_KEYRING: missing, and required with PostgreSQL; expected "))
    assert.notInclude(found[0], "\n")
    assert.strictEqual(valid({ DATABASE_URL: postgres, GATEWARDEN_KEYRING: keyring }).database.kind, "postgres")
  })

  it("reads secrets from files, less the last line end", () => {
    const { database, entries, values } = valid(
      { DATABASE_URL_FILE: "/url", GATEWARDEN_KEYRING_FILE: "/keyring", GATEWARDEN_MANAGEMENT_KEY_FILE: "/key" },
      { "/url": `${postgres}\n`, "/keyring": `${keyring}\r\n`, "/key": "k".repeat(32) }
    )
    assert.strictEqual(database.kind === "postgres" ? Redacted.value(database.url) : "", postgres)
    assert.strictEqual(values.GATEWARDEN_KEYRING?.primary.id, "k1")
    assert.strictEqual(
      values.GATEWARDEN_MANAGEMENT_KEY && Redacted.value(values.GATEWARDEN_MANAGEMENT_KEY),
      "k".repeat(32)
    )
    assert.strictEqual(entries.find(({ name }) => name === "GATEWARDEN_KEYRING")?.source, "file")
  })

  it("refuses a file that cannot be read, and a secret given twice", () => {
    assert.deepStrictEqual(errors({ GATEWARDEN_KEYRING_FILE: "/gone" }), [
      'GATEWARDEN_KEYRING_FILE: "/gone" cannot be read (ENOENT); expected the path of a readable file'
    ])
    assert.deepStrictEqual(errors({ GATEWARDEN_KEYRING: keyring, GATEWARDEN_KEYRING_FILE: "/k" }), [
      "GATEWARDEN_KEYRING and GATEWARDEN_KEYRING_FILE are both set; expected one of them"
    ])
  })

  it("warns of what is most likely not meant", () => {
    const { warnings } = valid({
      GATEWARDEN_MANAGMENT_KEY: "x",
      GATEWARDEN_KEYRING_FIEL: "x",
      GATEWARDEN_ZEBRA_CROSSING: "x",
      GATEWARDEN_PORT: "1",
      PGHOST: "db",
      PGUSER: "warden",
      GATEWARDEN_REGION: "us",
      GATEWARDEN_REGION_HOSTS: "a=us",
      GATE: "x"
    })
    assert.deepStrictEqual(warnings, [
      "GATEWARDEN_MANAGMENT_KEY is not a variable of Gatewarden; did you mean GATEWARDEN_MANAGEMENT_KEY?",
      "GATEWARDEN_KEYRING_FIEL is not a variable of Gatewarden; did you mean GATEWARDEN_KEYRING_FILE?",
      "GATEWARDEN_ZEBRA_CROSSING is not a variable of Gatewarden",
      "GATEWARDEN_PORT is not a variable of Gatewarden; did you mean PORT?",
      "PGHOST, PGUSER set, but DATABASE_URL is not: the embedded database is used",
      "GATEWARDEN_REGION_HOSTS has no effect while GATEWARDEN_REGION is set"
    ])
    assert.deepStrictEqual(valid({ PGHOST: "db", DATABASE_URL: "memory:" }).warnings, [])
  })
})

describe("config print", () => {
  const configuration = valid({
    DATABASE_URL: `${postgres}?password=s3cret-word`,
    GATEWARDEN_KEYRING: keyring,
    GATEWARDEN_MANAGEMENT_KEY: `s3cret-word${"k".repeat(32)}`,
    PORT: "80"
  })

  it("shows every variable with its source, and no secret", () => {
    const table = configurationTable(configuration)
    assert.lengthOf(table.split("\n"), Object.keys(variables).length)
    assert.match(table, /^PORT +80 +environment$/m)
    assert.match(table, /^HOST +127\.0\.0\.1 +default$/m)
    assert.match(table, /^GATEWARDEN_REGION +unset$/m)
    assert.match(table, /^DATABASE_URL +postgres:\/\/warden:\*\*\*@db\.example\/gate\?password=\*\*\* +environment$/m)
    assert.match(table, /^GATEWARDEN_KEYRING +<redacted> +environment$/m)
    assert.notInclude(table, "s3cret")
    assert.notInclude(table, Buffer.alloc(32, 1).toString("base64"))
  })

  it("says the same in JSON", () => {
    const json = JSON.parse(configurationJson(configuration))
    assert.deepStrictEqual(json.PORT, { value: "80", source: "environment" })
    assert.deepStrictEqual(json.GATEWARDEN_REGION, { value: null, source: "unset" })
    assert.deepStrictEqual(json.GATEWARDEN_MANAGEMENT_KEY, { value: "<redacted>", source: "environment" })
    assert.notInclude(JSON.stringify(json), "s3cret")
  })
})
