import { Context, Effect, Logger, References, Tracer } from "effect"
import { MailTransport } from "../alert/mail.ts"
import { type SendMail } from "../alert/SendMail.ts"
import { Detector } from "../filter/Detector.ts"
import { presidioDetector } from "../filter/presidioDetector.ts"
import { type PresidioOptions } from "../filter/PresidioOptions.ts"
import { HostAuthentication } from "../access/callerOfHost.ts"
import { type AskHost } from "../access/HostCaller.ts"
import { hostLogger } from "./hostLogger.ts"
import { type HostLog } from "./LogEntry.ts"
import type { HostTracing } from "./hostTracing.ts"

interface HostParts {
  readonly authenticate: AskHost | undefined
  readonly logger: HostLog | undefined
  readonly mail: SendMail | undefined
  readonly tracing: HostTracing | undefined
  readonly presidio: PresidioOptions | undefined
}

/**
 * The host's logger, tracer and other services, as a context for everything that the core runs. Without a logger only warnings and errors
 * go to the console, because a library should be quiet.
 */
export const hostContext = ({ authenticate, logger, mail, tracing, presidio }: HostParts): Context.Context<never> =>
  Context.mergeAll(
    Context.make(HostAuthentication, authenticate && ((request) => Effect.promise(async () => authenticate(request)))),
    Context.make(References.MinimumLogLevel, logger === undefined ? "Warn" : "Info"),
    logger === undefined ? Context.empty() : Context.make(Logger.CurrentLoggers, new Set([hostLogger(logger)])),
    mail === undefined ? Context.empty() : Context.make(MailTransport, mail),
    presidio === undefined ? Context.empty() : Context.make(Detector, presidioDetector(presidio)),
    tracing === undefined ? Context.empty() : Context.make(Tracer.Tracer, tracing.tracer)
  )
