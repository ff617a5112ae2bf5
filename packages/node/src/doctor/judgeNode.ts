import { failure, fine, type Finding, warning } from "./Finding.ts"

const isOlder = (version: string, [major, minor]: readonly [number, number]): boolean => {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map(Number)
  return ownMajor < major || (ownMajor === major && ownMinor < minor)
}

/** The version of Node, `process.versions.node`: the oldest that `engines` of our packages allows, and the oldest of the dependencies'. */
export const judgeNode = (version: string): Finding =>
  isOlder(version, [20, 20])
    ? failure(
        "node",
        `Node ${version} is too old`,
        "install Node 24 or 22.19: https://nodejs.org/en/download",
        "configuration"
      )
    : isOlder(version, [22, 19])
      ? warning("node", `Node ${version} works, but gets no more security fixes`, "install Node 24 or 22.19")
      : fine("node", `Node ${version}`)
