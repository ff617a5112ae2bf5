/** What the packages of this repository need beyond the doors. Nothing here is promised. */
export * from "./effect.ts"
export * from "./index.ts"
export { exitCode, type ExitCode } from "./failure/exitCode.ts"
export { Failed } from "./failure/Failed.ts"
export { inTurn } from "./http/inTurn.ts"
export { refuseUnreadable } from "./http/refuseUnreadable.ts"
export { findRe2 } from "./filter/findRe2.ts"
