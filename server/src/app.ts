import type { IncomingMessage, ServerResponse } from 'node:http'
import compress from '@fastify/compress'
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import helmet from 'helmet'
import { contextOf, serveApi } from './api.ts'
import { findReferralCode } from './domains/waitlist/waitlist/waitlist.ts'
import { serveAccountArchive } from './edges/account-archive.ts'
import { serveAnalyticsFiles } from './edges/analytics-files.ts'
import { BODY_SECONDS_MAX, limitBodyTime } from './edges/body-time.ts'
import { serveDocs } from './edges/docs.ts'
import { serveEmailedForms } from './edges/emailed-forms.ts'
import { refuseMalformed, refuseUnreadable, useEnvelope } from './edges/envelope.ts'
import { serveEvents } from './edges/events.ts'
import { type ExtensionPackage, serveExtension } from './edges/extension-package.ts'
import { serveHealth } from './edges/health.ts'
import { serveLeadFiles } from './edges/lead-files.ts'
import { serveMemberFiles } from './edges/member-files.ts'
import { type ShowNotFound, servePages, servePaymentLinks } from './edges/pages.ts'
import { servePictures } from './edges/pictures.ts'
import { serveRedirects } from './edges/redirects.ts'
import { serveScrapeEvents } from './edges/scrape-events.ts'
import { serveShareCards } from './edges/share-cards.ts'
import { serveWebhooks } from './edges/webhooks.ts'
import { serveWriterDrafts } from './edges/writer-drafts.ts'
import { Refusal } from './refusal.ts'
import type { Services } from './services.ts'

/** Maximum body size, except for CSV imports. */
const BODY_MAX_BYTES = 256 * 1024

/** Browser features that no page uses. */
const FEATURES_OFF = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'hid', 'idle-detection'],
  ...['local-fonts', 'magnetometer', 'microphone', 'midi', 'payment', 'screen-wake-lock', 'serial', 'usb'],
]
/** Browser features that only our own pages may use. */
const FEATURES_OF_OUR_PAGES = ['clipboard-write', 'publickey-credentials-create', 'publickey-credentials-get']
const PERMISSIONS_POLICY = [
  ...FEATURES_OFF.map((feature) => `${feature}=()`),
  ...FEATURES_OF_OUR_PAGES.map((feature) => `${feature}=(self)`),
].join(', ')

/** Maximum nesting of a JSON body. The contract's deepest input has fewer than ten levels. */
const BODY_LEVELS_MAX = 50

/** Build outputs that the server serves. */
interface Built {
  /** The web app's build. */
  webFolder: string
  extension: ExtensionPackage | null
}

export async function createApp(services: Services, { webFolder, extension }: Built): Promise<FastifyInstance> {
  const { env } = services
  const secure = createSecurityHeaders(services.origin)
  let showNotFound: ShowNotFound = () => false
  const app = Fastify({
    loggerInstance: services.log,
    genReqId: () => crypto.randomUUID(),
    requestIdHeader: false,
    trustProxy: env.trustProxy,
    bodyLimit: BODY_MAX_BYTES,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 300 },
    forceCloseConnections: 'idle',
    requestTimeout: BODY_SECONDS_MAX * 1_000,
    // A URL that cannot be decoded reaches neither a route nor the hooks.
    frameworkErrors(_error, request, reply) {
      secure(request.raw, reply.raw, () => {})
      reply.header('x-request-id', request.id)
      if (!showNotFound(request, reply)) refuseMalformed(reply)
    },
    clientErrorHandler: refuseUnreadable,
  })
  parseJsonObjects(app)
  limitBodyTime(app)
  useEnvelope(app)
  app.addHook('onRequest', (request, reply, done) => secure(request.raw, reply.raw, done))
  await app.register(compress, {
    threshold: 1024,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [BROTLI_QUALITY]: 4 } },
    // Clients do not send compressed bodies.
    globalDecompression: false,
  })
  logResponses(app)
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id)
    if (request.url.startsWith('/api/') && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    done(null, payload)
  })

  serveHealth(app, services)
  await serveRedirects(app, services)
  await serveEmailedForms(app, services)
  await serveWebhooks(app, services)
  servePaymentLinks(app, services)
  serveAccountArchive(app, services)
  serveLeadFiles(app, services)
  serveAnalyticsFiles(app, services)
  serveMemberFiles(app, services)
  serveExtension(app, extension)
  serveScrapeEvents(app, services)
  serveEvents(app, services)
  serveWriterDrafts(app, services)
  servePictures(app, services)
  await serveDocs(app)
  serveApi(app, services)
  serveShareCards(app, services)
  showNotFound = await servePages(app, {
    folder: webFolder,
    origin: services.origin,
    supportEmail: env.supportEmail,
    google: services.google !== null,
    knowsCode: (request, code) => knowsCode(services, request, code),
  })
  return app
}

/** Creates a hook that sets the security headers of a response. */
function createSecurityHeaders(origin: string) {
  // Created once; @fastify/helmet does so for every response.
  const setSecurityHeaders = helmet({
    // Pages set their own policy; everything else is data and may do nothing.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    strictTransportSecurity: origin.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    xFrameOptions: { action: 'deny' },
  })
  return (request: IncomingMessage, reply: ServerResponse, done: () => void) => {
    reply.setHeader('permissions-policy', PERMISSIONS_POLICY)
    setSecurityHeaders(request, reply, done)
  }
}

/**
 * Parses JSON bodies; an empty one counts as none. Rejects everything but objects, and deep nesting,
 * which would overflow the stack of later readers (validation, JSON.stringify, logs).
 */
function parseJsonObjects(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, null)
    return parseJson(request, body as string, (error, value) => {
      if (error) return done(error)
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
      if (!isObject) return done(Object.assign(new Error('not an object'), { statusCode: 400 }))
      if (isDeeperThan(BODY_LEVELS_MAX, value))
        return done(new Refusal('INVALID_INPUT', 'The body is nested too deeply.'))
      done(null, value)
    })
  })
}

/**
 * Writes one line per response, without personal data: no client address, query or body; the
 * operation or route, not the path.
 */
function logResponses(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, outcome } = request
    const route = request.operation ?? request.routeOptions.url ?? 'none'
    request.log.info(
      { method, route, status: reply.statusCode, outcome, ms: Math.round(reply.elapsedTime) },
      'answered',
    )
    done()
  })
}

/** Maximum wait of a page for the lookup of the referral code in its URL. */
const CODE_LOOK_UP_MS = 1_000

/** Whether a member has the code. False if the lookup fails, is late or is rate limited. */
async function knowsCode(services: Services, request: FastifyRequest, code: string): Promise<boolean> {
  const lookUp = findReferralCode(contextOf(services, request), code).catch((error: unknown) => {
    request.log.info({ err: error }, 'referral code lookup failed')
    return null
  })
  const late = new Promise<null>((resolve) => setTimeout(resolve, CODE_LOOK_UP_MS, null).unref())
  return (await Promise.race([lookUp, late])) !== null
}

/** zlib.constants.BROTLI_PARAM_QUALITY */
const BROTLI_QUALITY = 1

/** Whether a JSON value nests deeper than `levels`. Iterative, in linear time. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []))
  }
  return false
}
