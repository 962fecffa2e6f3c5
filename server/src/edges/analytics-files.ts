import { Id } from '@x-automated/contract/fields'
import type { StepResults, VariantResults } from '@x-automated/contract/outreach/sequences'
import {
  BreakdownQuery,
  type BreakdownRow,
  type HeatmapCell,
  HeatmapQuery,
} from '@x-automated/contract/overview/analytics'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { results } from '../domains/outreach/sequences/results.ts'
import { breakdown, heatmap } from '../domains/overview/analytics/breakdown.ts'
import { requireAdvancedAnalytics } from '../domains/platform/billing/plan.ts'
import type { Services } from '../services.ts'
import { csvOf } from './csv-download.ts'
import { onlyExport } from './one-export.ts'
import { readInput } from './read-input.ts'
import { signedIn } from './signed-in.ts'

/** GET /api/analytics/breakdown/export, /api/analytics/heatmap/export and /api/campaigns/{id}/results/export. */
export function serveAnalyticsFiles(app: FastifyInstance, services: Services): void {
  const options = { exposeHeadRoute: false }

  app.get('/api/analytics/breakdown/export', options, async (request, reply) => {
    const caller = await signedIn(services, [request, reply], 'viewer', 'analytics:read')
    const { actor, database } = caller
    const { cursor: _, ...query } = readInput(BreakdownQuery, request.query)
    // Read the first page before the response starts, so that a refusal still gets its status.
    let page = await breakdown(database.db, actor, query)
    async function* pages() {
      yield page.rows
      while (page.cursor) {
        page = await breakdown(database.db, actor, { ...query, cursor: page.cursor })
        yield page.rows
      }
    }
    const file = await onlyExport(caller, () => csvOf(BREAKDOWN_COLUMNS, pages()))
    return send(reply, `analytics-by-${query.by}`, file)
  })

  app.get('/api/analytics/heatmap/export', options, async (request, reply) => {
    const { actor, database } = await signedIn(services, [request, reply], 'viewer', 'analytics:read')
    const { cells } = await heatmap(database.db, actor, readInput(HeatmapQuery, request.query))
    return send(reply, 'analytics-by-hour', csvOf(HEATMAP_COLUMNS, oneBatch(cells)))
  })

  app.get<{ Params: { id: string } }>('/api/campaigns/:id/results/export', options, async (request, reply) => {
    const { actor, database } = await signedIn(services, [request, reply], 'viewer', 'campaigns:read')
    const { steps } = await results(database.db, actor, Id.parse(request.params.id))
    await requireAdvancedAnalytics(database.db, actor.workspaceId)
    const rows = steps.flatMap((step) => step.variants.map((variant) => ({ step, variant })))
    return send(reply, 'campaign-results', csvOf(RESULTS_COLUMNS, oneBatch(rows)))
  })
}

function send(reply: FastifyReply, name: string, file: ReturnType<typeof csvOf>) {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(file)
}

async function* oneBatch<Row>(rows: Row[]) {
  yield rows
}

const BREAKDOWN_COLUMNS: Record<string, (row: BreakdownRow) => unknown> = {
  id: (row) => row.id,
  name: (row) => row.name,
  people_messaged: (row) => row.peopleMessaged,
  people_replied: (row) => row.peopleReplied,
  people_positive: (row) => row.peoplePositive,
  opted_out: (row) => row.optedOut,
  reply_rate: (row) => row.replyRate,
  positive_rate: (row) => row.positiveRate,
  median_reply_seconds: (row) => row.medianReplySeconds,
  median_answer_seconds: (row) => row.medianAnswerSeconds,
}

const HEATMAP_COLUMNS: Record<string, (cell: HeatmapCell) => unknown> = {
  weekday: (cell) => cell.weekday,
  hour: (cell) => cell.hour,
  sent: (cell) => cell.sent,
  replied: (cell) => cell.replied,
  positive: (cell) => cell.positive,
}

type Result = { step: StepResults; variant: VariantResults }

const RESULTS_COLUMNS: Record<string, (result: Result) => unknown> = {
  step: ({ step }) => step.number,
  kind: ({ step }) => step.kind,
  variant: ({ variant }) => variant.name,
  is_active: ({ variant }) => String(variant.isActive),
  sent: ({ variant }) => variant.sent,
  read: ({ variant }) => variant.read,
  replied: ({ variant }) => variant.replied,
  positive: ({ variant }) => variant.positive,
  opted_out: ({ variant }) => variant.optedOut,
  failed: ({ variant }) => variant.failed,
  skipped: ({ variant }) => variant.skipped,
  verdict: ({ step: { verdict }, variant }) =>
    verdict && (verdict.variantId === null || verdict.variantId === variant.id) ? verdict.status : '',
}
