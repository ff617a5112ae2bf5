/** The deployments that are shown keep what the server needs and promises: probes, secrets, time to drain, no rights. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse, parseAllDocuments } from "yaml"
import * as z from "zod"
import { knownUpstreams } from "../../../examples/gateway/src/knownUpstreams.ts"
import { commandLine, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

const example = (path: string): string => fileURLToPath(new URL(`../../../examples/${path}`, import.meta.url))
const read = (path: string): string => readFileSync(example(path), "utf8")

/** Milliseconds that the server itself takes at most, from SIGTERM to its end. */
const drainMillis = 25_000 + 15_000

/** What `secrets.sh` makes, run twice in a place of its own. */
const makeSecrets = () => {
  const directory = mkdtempSync(join(tmpdir(), "gatewarden-secrets-"))
  cpSync(example("server-compose/secrets.sh"), join(directory, "secrets.sh"))
  const file = (name: string) => join(directory, "secrets", name)
  const run = () => {
    const { status, stderr } = spawnSync("sh", [join(directory, "secrets.sh")], { encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
  }
  return { directory, file, run }
}

describe("server-compose and server-kubernetes", () => {
  const secrets = makeSecrets()
  beforeAll(() => secrets.run())
  afterAll(() => rmSync(secrets.directory, { recursive: true, force: true }))

  /** The configuration that an environment of a deployment gives, where its secrets are those that were made. */
  const configured = (environment: Readonly<Record<string, string>>) => {
    const given = Object.entries(environment).map(([name, value]) => [
      name,
      name.endsWith("_FILE") ? secrets.file(value.split("/").at(-1) ?? "") : value
    ])
    const { status, stdout, stderr } = spawnSync(process.execPath, [commandLine, "config", "print", "--json"], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...Object.fromEntries(given) }
    })
    assert.strictEqual(stderr, "")
    assert.strictEqual(status, 0)
    return JSON.parse(stdout) as Readonly<Record<string, { readonly source: string; readonly value: string | null }>>
  }

  const assertFromFiles = (environment: Readonly<Record<string, string>>) => {
    const entries = configured(environment)
    for (const name of ["DATABASE_URL", "GATEWARDEN_KEYRING", "GATEWARDEN_MANAGEMENT_KEY"])
      assert.strictEqual(entries[name]?.source, "file", name)
  }

  it("make their secrets once", () => {
    const names = ["database-password", "database-url", "keyring", "management-key"]
    const before = names.map((name) => readFileSync(secrets.file(name), "utf8"))
    secrets.run()
    assert.deepStrictEqual(
      names.map((name) => readFileSync(secrets.file(name), "utf8")),
      before
    )
    assert.include(before[1], before[0])
  })

  it("compose a server that waits for its database and may do nothing else", () => {
    const Compose = z.object({
      services: z.object({
        database: z.object({
          healthcheck: z.object({ test: z.array(z.string()) }),
          secrets: z.array(z.string()),
          volumes: z.tuple([z.string()])
        }),
        gatewarden: z.object({
          build: z.object({ context: z.string(), dockerfile: z.string() }),
          depends_on: z.object({ database: z.object({ condition: z.literal("service_healthy") }) }),
          environment: z.record(z.string(), z.string()),
          secrets: z.array(z.string()),
          read_only: z.literal(true),
          cap_drop: z.tuple([z.literal("ALL")]),
          security_opt: z.tuple([z.literal("no-new-privileges:true")]),
          stop_grace_period: z.string().regex(/^\d+s$/)
        })
      }),
      volumes: z.record(z.string(), z.null()),
      secrets: z.record(z.string(), z.object({ file: z.string() }))
    })
    const { services, volumes, secrets: files } = Compose.parse(parse(read("server-compose/compose.yaml")))
    const { database, gatewarden } = services
    assert.isAbove(Number.parseInt(gatewarden.stop_grace_period) * 1000, drainMillis)
    assert.property(volumes, database.volumes[0].split(":")[0] ?? "")
    for (const name of [...database.secrets, ...gatewarden.secrets]) {
      assert.strictEqual(files[name]?.file, `./secrets/${name}`)
      assert.isAbove(readFileSync(secrets.file(name)).length, 0)
    }
    for (const [name, value] of Object.entries(gatewarden.environment))
      if (name.endsWith("_FILE")) assert.include(gatewarden.secrets, value.replace("/run/secrets/", ""))
    assertFromFiles(gatewarden.environment)
    assert.include(read(`server-compose/${gatewarden.build.context}/${gatewarden.build.dockerfile}`), "ENTRYPOINT")
  })

  it("keep replicas on Kubernetes that are probed, drained and without rights", () => {
    const probe = (path: string) =>
      z.object({ httpGet: z.object({ path: z.literal(path), port: z.literal("http") }), periodSeconds: z.number() })
    const Deployment = z.object({
      kind: z.literal("Deployment"),
      spec: z.object({
        replicas: z.number().min(2),
        strategy: z.object({ rollingUpdate: z.object({ maxUnavailable: z.literal(0) }) }),
        selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
        template: z.object({
          metadata: z.object({ labels: z.record(z.string(), z.string()) }),
          spec: z.object({
            terminationGracePeriodSeconds: z.number(),
            automountServiceAccountToken: z.literal(false),
            // A Service of our own name would put GATEWARDEN_PORT and the like into the environment.
            enableServiceLinks: z.literal(false),
            securityContext: z.object({
              runAsNonRoot: z.literal(true),
              runAsUser: z.number().min(1),
              fsGroup: z.number()
            }),
            containers: z.tuple([
              z.object({
                env: z.array(z.object({ name: z.string(), value: z.string() })),
                ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
                startupProbe: probe("/livez"),
                livenessProbe: probe("/livez"),
                readinessProbe: probe("/readyz"),
                lifecycle: z.object({ preStop: z.object({ exec: z.object({ command: z.array(z.string()) }) }) }),
                securityContext: z.object({
                  allowPrivilegeEscalation: z.literal(false),
                  readOnlyRootFilesystem: z.literal(true),
                  capabilities: z.object({ drop: z.tuple([z.literal("ALL")]) })
                }),
                volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean() }))
              })
            ]),
            volumes: z.array(z.object({ name: z.string(), secret: z.object({ secretName: z.string() }) }))
          })
        })
      })
    })
    const Service = z.object({
      kind: z.literal("Service"),
      spec: z.object({
        selector: z.record(z.string(), z.string()),
        ports: z.tuple([z.object({ targetPort: z.literal("http") })])
      })
    })
    const Budget = z.object({
      kind: z.literal("PodDisruptionBudget"),
      spec: z.object({
        minAvailable: z.number(),
        selector: z.object({ matchLabels: z.record(z.string(), z.string()) })
      })
    })
    const Secret = z.object({
      kind: z.literal("Secret"),
      metadata: z.object({ name: z.string() }),
      stringData: z.record(z.string(), z.string())
    })

    const documents = parseAllDocuments(read("server-kubernetes/gatewarden.yaml"))
    for (const { errors, warnings } of documents) assert.deepStrictEqual([...errors, ...warnings], [])
    const [deployment, service, budget] = z
      .tuple([Deployment, Service, Budget])
      .parse(documents.map((document): unknown => document.toJS()))
    const secret = Secret.parse(parse(read("server-kubernetes/secret.example.yaml")))

    const { labels } = deployment.spec.template.metadata
    for (const selected of [
      deployment.spec.selector.matchLabels,
      service.spec.selector,
      budget.spec.selector.matchLabels
    ])
      assert.deepStrictEqual(selected, labels)
    assert.isBelow(budget.spec.minAvailable, deployment.spec.replicas)

    const pod = deployment.spec.template.spec
    const [container] = pod.containers
    const waited = /setTimeout\(\(\) => \{\}, (\d+)\)/.exec(container.lifecycle.preStop.exec.command.join(" "))?.[1]
    assert.isAbove(pod.terminationGracePeriodSeconds * 1000, Number(waited) + drainMillis)
    const [volume] = pod.volumes
    assert.strictEqual(volume?.secret.secretName, secret.metadata.name)
    const [mount] = container.volumeMounts
    assert.strictEqual(mount?.name, volume?.name)
    const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))
    for (const [name, value] of Object.entries(environment))
      if (name.endsWith("_FILE")) assert.property(secret.stringData, value.replace(`${mount?.mountPath}/`, ""))
    assertFromFiles(environment)
    const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]))
    assert.strictEqual(String(ports.get("metrics")), environment["GATEWARDEN_METRICS_PORT"])
  })
})

describe("the gateway in place of the server", () => {
  const main = "examples/gateway/dist/main.js"

  it("is the same service of Compose, with keys of providers that it knows", () => {
    const Service = z.strictObject({
      entrypoint: z.tuple([z.literal("node"), z.literal(main)]),
      command: z.tuple([]),
      environment: z.record(z.string(), z.string())
    })
    const Override = z.strictObject({ services: z.strictObject({ gatewarden: Service }) })
    const { services } = Override.parse(parse(read("server-compose/gateway.yaml")))
    const known = [...Object.values(knownUpstreams).map(({ variable }) => variable), "GATEWAY_UPSTREAMS"]
    for (const [name, value] of Object.entries(services.gatewarden.environment)) {
      assert.include(known, name)
      // What is unset is empty, which is as good as unset.
      assert.strictEqual(value, `\${${name}:-}`)
    }
  })

  it("is the same Deployment of Kubernetes", () => {
    const Named = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) })
    const Patch = z.object({
      spec: z.strictObject({
        template: z.strictObject({
          spec: z.strictObject({
            containers: z.tuple([
              z.strictObject({
                name: z.string(),
                command: z.tuple([z.literal("node"), z.literal(main)]),
                envFrom: z.tuple([z.object({ secretRef: z.object({ name: z.string(), optional: z.literal(true) }) })])
              })
            ])
          })
        })
      })
    })
    const Kustomization = z.object({
      resources: z.tuple([z.literal("gatewarden.yaml")]),
      patches: z.tuple([z.strictObject({ path: z.literal("gateway.yaml") })])
    })
    Kustomization.parse(parse(read("server-kubernetes/kustomization.yaml")))
    const sent: unknown = parse(read("server-kubernetes/gateway.yaml"))
    const [deployment] = parseAllDocuments(read("server-kubernetes/gatewarden.yaml"))
    const patched: unknown = deployment?.toJS()
    assert.deepStrictEqual(Named.parse(sent), Named.parse(patched))
    const names = (value: unknown) =>
      z
        .object({
          spec: z.object({
            template: z.object({ spec: z.object({ containers: z.tuple([z.object({ name: z.string() })]) }) })
          })
        })
        .parse(value).spec.template.spec.containers
    assert.deepStrictEqual(names(sent), names(patched))
    Patch.parse(sent)
  })

  it("has in the image what it runs", () => {
    const dockerfile = read("server-compose/Dockerfile").replaceAll("\\\n", " ")
    assert.match(dockerfile, /tsc -b examples\/gateway /)
    // The manifests of the libraries name bundles, which the compiler does not make.
    assert.match(dockerfile, /node packages\/node\/build\/build\.js /)
    const copied = /cp -a (examples\/gateway[^&]*) \/out\/examples\/gateway\//.exec(dockerfile)?.[1]?.split(" ")
    assert.sameMembers(copied ?? [], ["examples/gateway/package.json", "examples/gateway/dist"])
  })
})

describe("the image", () => {
  const dockerfile = read("server-compose/Dockerfile").replaceAll("\\\n", " ")
  const [, ...stages] = dockerfile.split(/^FROM /m)
  const last = stages.at(-1) ?? ""

  it("runs as nobody in particular, with what it depends on and nothing that tests or builds", () => {
    assert.match(last, /^USER ([1-9]\d*):\1$/m)
    assert.match(dockerfile, /npm ci --ignore-scripts --omit=dev/)
    assert.notMatch(dockerfile, /npm (?:ci|install)(?! --ignore-scripts)/)
    const manifest = z
      .object({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(fileURLToPath(new URL("../../node/package.json", import.meta.url)), "utf8")))
    const named = /for name in ([a-z ]+);/.exec(dockerfile)?.[1]?.split(" ")
    const needed = Object.keys(manifest.dependencies).filter((name) => name.startsWith("@gatewarden/"))
    assert.sameMembers(named ?? [], ["node", ...needed.map((name) => name.replace("@gatewarden/", ""))])
  })

  it("is healthy exactly while its server is ready", async () => {
    const command = z.array(z.string()).parse(JSON.parse(/HEALTHCHECK[^[]*CMD (\[.*\])/.exec(last)?.[1] ?? ""))
    const check = async (url: string) => {
      const child = spawn(process.execPath, command.slice(1), { env: { PORT: new URL(url).port } })
      await once(child, "close")
      return child.exitCode
    }
    const server = await startServerProcess()
    assert.strictEqual(await check(server.url), 0)
    await server.stop()
    assert.strictEqual(await check(server.url), 1)
  })
})
