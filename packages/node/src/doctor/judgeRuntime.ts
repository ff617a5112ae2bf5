import { failure, fine, type Finding } from "./Finding.ts"
import { judgeNode } from "./judgeNode.ts"

export interface Runtime {
  /** `process.versions.node`. */
  readonly node: string
  /** Versions of the packages that are there; undefined where one is missing. */
  readonly effect: string | undefined
  readonly platform: string | undefined
}

const parts = (version: string): readonly [major: number, minor: number] => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return [major, minor]
}

/** Node, and the two packages that npm may pair wrongly: they have to be of one minor version. */
export const judgeRuntime = ({ node, effect, platform }: Runtime): readonly Finding[] => {
  const pair = `effect ${effect ?? "is missing"}, @effect/platform-node ${platform ?? "is missing"}`
  const isPair = effect !== undefined && platform !== undefined && parts(effect).join(".") === parts(platform).join(".")
  return [
    judgeNode(node),
    isPair
      ? fine("packages", pair)
      : failure(
          "packages",
          `${pair}: their versions differ`,
          `npm install --save-exact effect@${effect ?? "4.1.0"} @effect/platform-node@${effect ?? "4.1.0"}`
        )
  ]
}
