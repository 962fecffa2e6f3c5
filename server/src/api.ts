import { ValidationError } from '@orpc/contract'
import { OpenAPIHandler } from '@orpc/openapi/fastify'
import { ORPCError, onError } from '@orpc/server'
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode, type ErrorEnvelope } from '@x-automated/contract/errors'
import { inputProblems, predicateOf } from '@x-automated/contract/input-problems'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { accountRoutes } from './domains/identity/account/routes.ts'
import { authRoutes } from './domains/identity/auth/routes.ts'
import { identityRoutes } from './domains/identity/identities/routes.ts'
import { peopleRoutes } from './domains/identity/people/routes.ts'
import { secondFactorRoutes } from './domains/identity/second-factors/routes.ts'
import { ssoRoutes } from './domains/identity/sso/routes.ts'
import { importRoutes } from './domains/leads/imports/routes.ts'
import { leadRoutes } from './domains/leads/leads/routes.ts'
import { listRoutes } from './domains/leads/lists/routes.ts'
import { savedFilterRoutes } from './domains/leads/saved-filters/routes.ts'
import { scrapeRoutes } from './domains/leads/scrapes/routes.ts'
import { suppressionRoutes } from './domains/leads/suppressions/routes.ts'
import { tagRoutes } from './domains/leads/tags/routes.ts'
import { bulkRoutes } from './domains/outreach/bulk/routes.ts'
import { campaignDraftRoutes } from './domains/outreach/campaign-drafts/routes.ts'
import { campaignRoutes } from './domains/outreach/campaigns/routes.ts'
import { conversationOfferRoutes } from './domains/outreach/conversation-offers/routes.ts'
import { conversationRoutes, noteRoutes } from './domains/outreach/conversations/routes.ts'
import { extensionRoutes } from './domains/outreach/extension/routes.ts'
import { openerRoutes } from './domains/outreach/openers/routes.ts'
import { replyRoutes, xAccountConsentRoutes } from './domains/outreach/replies/routes.ts'
import { leadQueueRoutes, messageRoutes, sendingRoutes } from './domains/outreach/sending/routes.ts'
import { sendingSettingRoutes } from './domains/outreach/sending-settings/routes.ts'
import { enrollmentRoutes, sequenceRoutes } from './domains/outreach/sequences/routes.ts'
import { simulatedQueueRoutes } from './domains/outreach/simulated-queue/routes.ts'
import { snippetRoutes } from './domains/outreach/snippets/routes.ts'
import { templateRoutes } from './domains/outreach/templates/routes.ts'
import { writerRoutes } from './domains/outreach/writer/routes.ts'
import { accountHealthRoutes } from './domains/overview/account-health/routes.ts'
import { analyticsRoutes } from './domains/overview/analytics/routes.ts'
import { firstStepsRoutes } from './domains/overview/first-steps/routes.ts'
import { operatorRoutes } from './domains/overview/operator/routes.ts'
import { personalDataRoutes } from './domains/overview/personal-data/routes.ts'
import { reportRoutes } from './domains/overview/reports/routes.ts'
import { sampleDataRoutes } from './domains/overview/sample-data/routes.ts'
import { searchRoutes } from './domains/overview/search/routes.ts'
import { todayRoutes } from './domains/overview/today/routes.ts'
import { apiKeyRoutes } from './domains/platform/api-keys/routes.ts'
import { billingRoutes } from './domains/platform/billing/routes.ts'
import { brandingRoutes } from './domains/platform/branding/routes.ts'
import { jobRoutes } from './domains/platform/jobs/routes.ts'
import { notificationRoutes } from './domains/platform/notifications/routes.ts'
import { webhookRoutes } from './domains/platform/webhooks/routes.ts'
import { xAccountRoutes } from './domains/platform/x-account/routes.ts'
import { xAppRoutes } from './domains/platform/x-apps/routes.ts'
import { xCostRoutes } from './domains/platform/x-costs/routes.ts'
import { waitlistRoutes } from './domains/waitlist/waitlist/routes.ts'
import { describeApi } from './edges/api-document.ts'
import { clientAddress, wideNetwork } from './requests/client-address.ts'
import type { RequestContext } from './requests/context.ts'
import { hashToken } from './sealing.ts'
import type { Services } from './services.ts'

/** The handlers of every operation in the contract. */
const router = {
  auth: authRoutes,
  account: accountRoutes,
  identities: identityRoutes,
  secondFactors: secondFactorRoutes,
  personalData: personalDataRoutes,
  people: peopleRoutes,
  sso: ssoRoutes,
  xAccount: { ...xAccountRoutes, ...xAccountConsentRoutes },
  xApp: xAppRoutes,
  xCosts: xCostRoutes,
  scrapes: scrapeRoutes,
  leads: { ...leadRoutes, ...leadQueueRoutes },
  imports: importRoutes,
  lists: listRoutes,
  tags: tagRoutes,
  savedFilters: savedFilterRoutes,
  campaigns: { ...campaignRoutes, ...sendingRoutes, ...simulatedQueueRoutes },
  extension: extensionRoutes,
  messages: messageRoutes,
  analytics: analyticsRoutes,
  suppressions: suppressionRoutes,
  campaignDrafts: campaignDraftRoutes,
  sequences: sequenceRoutes,
  enrollments: enrollmentRoutes,
  sendingSettings: sendingSettingRoutes,
  notifications: notificationRoutes,
  firstSteps: firstStepsRoutes,
  sampleData: sampleDataRoutes,
  search: searchRoutes,
  today: todayRoutes,
  accountHealth: accountHealthRoutes,
  replies: replyRoutes,
  conversations: conversationRoutes,
  conversationOffers: conversationOfferRoutes,
  notes: noteRoutes,
  snippets: snippetRoutes,
  templates: templateRoutes,
  writer: writerRoutes,
  openers: openerRoutes,
  jobs: { ...jobRoutes, ...bulkRoutes },
  waitlist: waitlistRoutes,
  billing: billingRoutes,
  operator: operatorRoutes,
  webhooks: webhookRoutes,
  apiKeys: apiKeyRoutes,
  branding: brandingRoutes,
  reports: reportRoutes,
}

/** Serves the contract under /api. */
export function serveApi(app: FastifyInstance, services: Services): void {
  z.config({ customError: predicateOf })
  const handler = new OpenAPIHandler(router, {
    customErrorResponseBodyEncoder: envelopeOf,
    interceptors: [
      onError((error, { context }) => {
        // Logged, but not revealed to the caller.
        if (error instanceof ORPCError && error.cause instanceof ValidationError && error.status >= 500)
          context.log.error({ err: error.cause }, 'the answer violates the contract')
      }),
    ],
  })
  app.all('/api/*', async (request, reply) => {
    const context = contextOf(services, request, reply)
    const { matched } = await handler.handle(request, reply, { prefix: '/api', context })
    if (!matched) reply.callNotFound()
  })

  let document: Promise<string> | null = null
  app.get('/api/openapi.json', async (_request, reply) => {
    document ??= describeApi()
    return reply
      .type('application/json')
      .header('cache-control', 'public, max-age=300')
      .send(await document)
  })
}

/** Builds an operation's context. Also used by edges that respond with files or streams. */
export function contextOf(services: Services, request: FastifyRequest, reply?: FastifyReply): RequestContext {
  const single = (name: string) => {
    const value = request.headers[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const address = clientAddress(request.ip)
  const database = services.database.for(request.url.startsWith('/api/auth/') ? 'signIn' : 'public')
  return {
    ...services,
    database,
    db: database.db,
    log: request.log,
    request: {
      method: request.method,
      path: request.url.split('?', 1)[0] ?? '',
      query: request.url.split('?').slice(1).join('?'),
      authorization: single('authorization'),
      idempotencyKey: single('idempotency-key'),
      address,
      // Lazy: few operations need it.
      get addressHash() {
        return hashToken(`${services.env.authSecret}\n${address}`)
      },
      get networkHash() {
        const network = wideNetwork(address)
        return network && hashToken(`${services.env.authSecret}\n${network}`)
      },
      userAgent: single('user-agent'),
      cookies: single('cookie'),
    },
    setHeader: (name, value) => void reply?.header(name, value),
    setOutcome: (operation, outcome) => {
      Object.assign(request, { operation, outcome })
    },
    remember: async () => {},
  }
}

function envelopeOf(error: ORPCError<string, unknown>): ErrorEnvelope {
  if (error.cause instanceof ValidationError && error.status === 400) {
    const details = inputProblems(error.cause.issues as Parameters<typeof inputProblems>[0])
    return { success: false, code: 'INVALID_INPUT', error: details[0]?.problem ?? ERROR_TEXT.INVALID_INPUT, details }
  }
  if (!(error.code in ERROR_STATUS)) {
    // oRPC's own errors: an unreadable body is the client's fault, everything else is ours.
    const code = error.status === 413 ? 'BODY_TOO_LARGE' : error.status < 500 ? 'INVALID_INPUT' : 'INTERNAL'
    return { success: false, code, error: ERROR_TEXT[code] }
  }
  return {
    success: false,
    code: error.code as ErrorCode,
    error: error.message,
    ...(error.data === undefined ? {} : { details: error.data }),
  }
}
