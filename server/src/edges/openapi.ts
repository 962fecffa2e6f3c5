import type { OpenAPI } from '@orpc/openapi'
import { ERROR_STATUS, ERROR_TEXT, type ErrorCode } from '@x-automated/contract/errors'
import { formatNumber } from '@x-automated/contract/format'
import { IMPORT_REJECTED_MAX, IMPORT_REJECTED_NAMED } from '@x-automated/contract/leads/import-limits'
import { IMPORT_MAX_BYTES } from '@x-automated/contract/leads/leads'
import { SUPPRESSION_NOTE_MAX } from '@x-automated/contract/leads/suppression-limits'
import { DraftsInput } from '@x-automated/contract/outreach/writer'
import { X_CALLBACK_OUTCOMES } from '@x-automated/contract/platform/x-account'
import type { Scope } from '@x-automated/contract/route'
import { z } from 'zod'

/** The rule for files with too many rejected rows. */
const REJECTED_RULE = `If more than ${formatNumber(IMPORT_REJECTED_MAX)} rows have a problem, nothing is imported: 400 with the first problem.`

/** Names the scope that an API key needs, for the description of an operation. */
export function scopeNote(scope: Scope): string {
  return `Scope for API keys: \`${scope}\`.`
}

type Operation = NonNullable<OpenAPI.PathItemObject['get']>
const string = { type: 'string' } as const
const integer = { type: 'integer' } as const

const parameter = (location: 'path' | 'query', name: string) => ({ name, in: location, required: true, schema: string })
const optional = (name: string) => ({ name, in: 'query' as const, schema: string })
const token = [parameter('query', 'token')]
const workspaceId = parameter('path', 'workspaceId')

/** What an edge requires: nothing, a session, or a session or an API key with this scope. */
type Admission = 'public' | 'session' | Scope
/** Errors of an operation in addition to those of its admission, each with a description; '': the default. */
type Errors = Partial<Record<ErrorCode, string>>

/** The `security` of an operation in the document. */
export function securityOf(isPublic: boolean, scope: Scope | null): NonNullable<Operation['security']> {
  if (isPublic) return []
  return [{ bearer: [] }, ...(scope ? [{ apiKey: [scope] }] : [])]
}

/** The body of errors with these codes. */
export function errorBody(codes: readonly string[]) {
  return {
    type: 'object' as const,
    properties: {
      success: { const: false },
      code: { enum: [...codes] },
      error: { type: 'string' as const, description: 'A message that can be shown to users.' },
      details: {},
    },
    required: ['success', 'code', 'error'],
  }
}

/** The responses of errors, one for each status. */
function errorResponses(errors: Errors): Operation['responses'] {
  const codes = Object.keys(errors) as ErrorCode[]
  return Object.fromEntries(
    Object.entries(Object.groupBy(codes, (code) => ERROR_STATUS[code])).map(([status, same = []]) => [
      status,
      {
        description: same.map((code) => `${code}: ${errors[code] || ERROR_TEXT[code]}`).join(' '),
        content: { 'application/json': { schema: errorBody(same) } },
      },
    ]),
  )
}

function commonErrors(admission: Admission, isPost: boolean): Errors {
  const isPublic = admission === 'public'
  return {
    INVALID_INPUT: '',
    RATE_LIMITED: '',
    INTERNAL: '',
    UNAVAILABLE: '',
    NOT_READY: '',
    ...(isPost && { BODY_TOO_LARGE: '' }),
    ...(!isPublic && { UNAUTHORIZED: '', FORBIDDEN: '' }),
    ...(!isPublic && admission !== 'session' && { PLAN_LIMIT: '' }),
  }
}

interface More extends Partial<Operation> {
  errors?: Errors
  isPost?: boolean
}

/** An operation with one successful response and its errors. */
function operation(
  [tag, operationId, summary]: [tag: string, operationId: string, summary: string],
  admission: Admission,
  [status, description, type, schema]: [status: number, description: string, type?: string, schema?: object],
  { errors, isPost, ...more }: More = {},
): Operation {
  const content = type ? { content: { [type]: schema ? { schema } : {} } } : {}
  const scope = admission === 'public' || admission === 'session' ? null : admission
  return {
    operationId,
    tags: [tag],
    summary,
    security: securityOf(admission === 'public', scope),
    ...more,
    ...(scope && { description: [more.description, scopeNote(scope)].filter(Boolean).join(' ') }),
    responses: {
      [status]: { description, ...content },
      ...errorResponses({ ...commonErrors(admission, isPost ?? more.requestBody !== undefined), ...errors }),
    },
  }
}

/** A CSV import. @param counts the numbers in its result, in addition to the rejected rows */
function csvImport(names: [string, string, string], scope: Scope, counts: string[], more: More): Operation {
  const rejected = { type: 'array', items: { type: 'object', properties: { line: integer, problem: string } } }
  const numbers = Object.fromEntries(counts.map((name) => [name, integer]))
  const properties = { ...numbers, rejected, rejectedCount: integer, warnings: rejected, warningCount: integer }
  return operation(names, scope, [200, 'The result of each row', 'application/json', { type: 'object', properties }], {
    requestBody: { required: true, content: { 'text/csv': { schema: string } } },
    ...more,
  })
}

function unsubscribePage(tag: string, domain: string, what: string) {
  const ask: [string, string, string] = [tag, `${domain}.askUnsubscribe`, `Show the unsubscribe page for ${what}`]
  const done = `Unsubscribe from ${what} (one click, RFC 8058)`
  return {
    get: operation(ask, 'public', [200, 'A page with one button', 'text/html'], { parameters: token }),
    post: operation([tag, `${domain}.unsubscribe`, done], 'public', [200, 'Unsubscribed', 'text/html'], {
      parameters: token,
      isPost: true,
      errors: { INVALID_CODE: '' },
    }),
  }
}

const SSO_OUTCOME = 'Redirects to {origin}/auth/callback or /account with a one-time code or an error'

const refusedExport: Errors = { PLAN_LIMIT: 'The plan has no advanced analytics.', CAMPAIGN_NOT_FOUND: '' }

/** Redirects, files and streams outside the contract, for /api/openapi.json. */
export const edgeOperations: Record<string, OpenAPI.PathItemObject> = {
  '/auth/verify-email': {
    get: operation(
      ['Authentication', 'auth.verifyEmail', 'Confirm a sign-up by its emailed link'],
      'public',
      [
        302,
        'In the browser that signed up, redirects to {origin}/auth/callback with a one-time code. In any other browser, redirects to {origin}/auth/confirm#token, which asks for a new password. If the link is invalid, redirects to {origin}/auth/callback with an error',
      ],
      { parameters: token },
    ),
  },
  '/auth/callback/google': {
    get: operation(
      ['Authentication', 'identities.callback', 'Google sign-in callback'],
      'public',
      [
        302,
        'Redirects to {origin}/auth/callback, /waitlist or /account, depending on where sign-in started, with a one-time code or an error',
      ],
      { parameters: ['state', 'code', 'error'].map(optional) },
    ),
  },
  '/session/callback': {
    get: operation(
      ['X connection', 'xAccount.callback', 'X authorization callback'],
      'public',
      [302, `Redirects to {origin}/twitter?x= with the outcome: ${X_CALLBACK_OUTCOMES.join(', ')}`],
      { parameters: ['state', 'code', 'error'].map(optional) },
    ),
  },
  '/pictures/{id}': {
    get: operation(
      ['Leads', 'pictures.find', 'Get the picture of a lead or an X account'],
      'public',
      [200, 'A JPEG, PNG or WebP picture. `pictureUrl` of leads and X accounts is the signed address', 'image/*'],
      {
        parameters: [parameter('path', 'id'), parameter('query', 'expires'), parameter('query', 'signature')],
        errors: { PICTURE_NOT_FOUND: '' },
      },
    ),
  },
  '/pictures': {
    get: operation(
      ['Leads', 'pictures.findUnstored', 'Get the picture of someone whom a look shows'],
      'public',
      [200, 'A JPEG, PNG or WebP picture. `pictureUrl` of a look is the signed address', 'image/*'],
      {
        parameters: ['source', 'expires', 'signature'].map((name) => parameter('query', name)),
        errors: { PICTURE_NOT_FOUND: '' },
      },
    ),
  },
  '/auth/sso/leave': {
    get: operation(
      ['Single sign-on', 'sso.leave', 'Redirect the browser to the identity provider'],
      'public',
      [303, 'Redirects to the provider, or to {origin}/auth/callback or /account with an error'],
      { parameters: [parameter('query', 'request')] },
    ),
  },
  '/auth/sso/oidc/{workspaceId}/callback': {
    get: operation(['Single sign-on', 'sso.openIdCallback', 'OpenID provider callback'], 'public', [303, SSO_OUTCOME], {
      parameters: [workspaceId, ...['state', 'code', 'iss', 'error'].map(optional)],
    }),
  },
  '/auth/sso/saml/{workspaceId}/acs': {
    post: operation(
      ['Single sign-on', 'sso.samlCallback', 'SAML 2.0 assertion consumer service (HTTP-POST)'],
      'public',
      [303, SSO_OUTCOME],
      {
        parameters: [workspaceId],
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': { schema: { type: 'object', properties: { SAMLResponse: string } } },
          },
        },
      },
    ),
  },
  '/auth/sso/saml/{workspaceId}/metadata': {
    get: operation(
      ['Single sign-on', 'sso.samlMetadata', 'Get our SAML metadata for an identity provider'],
      'public',
      [200, 'SAML 2.0 metadata', 'application/samlmetadata+xml'],
      { parameters: [workspaceId] },
    ),
  },
  '/auth/user/export': {
    get: operation(
      ['Account', 'personalData.export', 'Export all account data as a ZIP of JSON files'],
      'session',
      [200, 'The archive', 'application/zip'],
      { errors: { REAUTHENTICATION_NEEDED: 'This is a single sign-on session.' } },
    ),
  },
  '/auth/change-email': {
    get: operation(
      ['Account', 'auth.askEmailChange', 'Show the confirmation page of an email change'],
      'public',
      [200, 'A page with one button', 'text/html'],
      { parameters: token },
    ),
    post: operation(
      ['Account', 'auth.confirmEmailChange', 'Confirm an email change'],
      'public',
      [
        303,
        'Redirects to {origin}/account with emailChange=done, emailChange=waiting (for the other address), or emailChange=error (link unknown, used or expired)',
      ],
      { parameters: token, isPost: true },
    ),
  },
  '/waitlist/confirm': {
    get: operation(
      ['Waitlist', 'waitlist.confirm', "Confirm a member's email address by its emailed link"],
      'public',
      [302, 'Redirects to {origin}/waitlist with confirmed=true or an error'],
      { parameters: token },
    ),
  },
  '/waitlist/unsubscribe': unsubscribePage('Waitlist', 'waitlist', 'waitlist emails'),
  '/extension.zip': {
    get: operation(
      ['Extension', 'extension.download', 'Download the browser extension'],
      'public',
      [200, 'Unzip it and load it unpacked', 'application/zip'],
      { errors: { NOT_FOUND: 'This server has no build of the extension.' } },
    ),
  },
  '/notifications/unsubscribe': unsubscribePage('Notifications', 'notifications', 'a kind of notification'),
  '/suppressions/import': {
    post: csvImport(
      ['Suppressions', 'suppressions.import', 'Import people into the suppression list from CSV'],
      'suppressions:write',
      ['imported', 'known', 'stopped'],
      {
        parameters: ['columns', 'header'].map(optional),
        description: `At most ${IMPORT_MAX_BYTES / 1024 / 1024} MiB. Columns: twitter_handle or x_user_id (one is required), reason (opted_out, replied_stop, manual or import) and note. Other columns are ignored. The query parameter columns, a JSON list, names the columns instead of the first row ('' skips one); header=false says that the first row is a person. A single column of handles or X user IDs works without a header. Every row with a readable handle or X user ID is suppressed: other reasons become import with the text as note, and notes are cut to ${SUPPRESSION_NOTE_MAX} characters. Messages queued for these people fail immediately. Existing entries are not changed. Handles and X user IDs that are not believed are left out and listed as warnings, if the row has the other one. ${REJECTED_RULE}`,
      },
    ),
  },
  '/leads/import': {
    post: csvImport(['Leads', 'leads.import', 'Import leads from CSV'], 'leads:write', ['imported', 'updated'], {
      description: `At most ${IMPORT_MAX_BYTES / 1024 / 1024} MiB. Headers are the column names of a lead. Only twitter_handle is required; unknown columns become metadata. Of those, a first_name is also the lead's first name, and without a column name, first_name and last_name are joined. UTF-8, separated by commas, semicolons or tabs. Blank cells change nothing. X user IDs that are not believed (rounded by a spreadsheet, in the rows of several handles, or contradicting X) are left out and listed as warnings; their rows are imported by handle. The response lists the first ${formatNumber(IMPORT_REJECTED_NAMED)} rejected rows; all others are imported. ${REJECTED_RULE} Importing the same file again changes nothing. The query parameter listName creates a list of the imported leads in the same step; it has the import's id. Each workspace's files are imported one at a time. A row is rejected if its bio has more than 1,000 characters or its other values more than 8,000 bytes. Once the file is sent, the import continues even if the client disconnects; GET /imports shows its progress. With \`Accept: application/x-ndjson\`, the response streams progress as lines: first \`{"import": {"id"}}\`, last \`{"result"}\` or \`{"failure": {"status", "body"}}\`.`,
      errors: {
        IMPORT_STATE: 'It was stopped (POST /imports/{id}/cancel), or the server stalled for too long.',
        TOO_MANY: 'The workspace would have more than 2,000,000 leads, or 2 GB of them. Nothing was imported.',
      },
    }),
  },
  '/leads/export': {
    get: operation(
      ['Leads', 'leads.export', 'Export leads as CSV'],
      'leads:read',
      [200, 'All matching leads', 'text/csv', string],
      {
        description: `Accepts the filters of GET /leads. A workspace has one export at a time; another one gets 429.`,
        errors: { FILTER_NOT_FOUND: '' },
      },
    ),
  },
  '/analytics/breakdown/export': {
    get: operation(
      ['Analytics', 'analytics.exportBreakdown', 'Export a comparison as CSV'],
      'analytics:read',
      [200, 'All rows', 'text/csv', string],
      {
        parameters: [parameter('query', 'by'), ...['from', 'to', 'campaignId'].map(optional)],
        description: `Accepts the query of GET /analytics/breakdown.`,
        errors: refusedExport,
      },
    ),
  },
  '/analytics/heatmap/export': {
    get: operation(
      ['Analytics', 'analytics.exportHeatmap', 'Export sent and answered messages by weekday and hour as CSV'],
      'analytics:read',
      [200, 'The hours in which something was sent', 'text/csv', string],
      {
        parameters: ['from', 'to', 'campaignId'].map(optional),
        errors: refusedExport,
      },
    ),
  },
  '/campaigns/{id}/results/export': {
    get: operation(
      ['Sequences', 'sequences.exportResults', 'Export the results of each step and variant as CSV'],
      'campaigns:read',
      [200, 'A row for each variant', 'text/csv', string],
      { parameters: [parameter('path', 'id')], errors: refusedExport },
    ),
  },
  '/operator/members/export': {
    get: operation(
      ['Operator', 'operator.export', 'Export every member of the waitlist as CSV'],
      'session',
      [200, 'All members', 'text/csv', string],
      {
        description: 'For operators; 404 for everyone else. `x-total-count` is the number of members.',
        errors: { NOT_FOUND: '' },
      },
    ),
  },
  '/events': {
    get: operation(
      ['Events', 'events.follow', 'Stream changes in the workspace'],
      'session',
      [
        200,
        'Events with the data `{ kind, ids }`: what to fetch again. `kind` is campaign, conversation, scrape, import, job or notification; no ids means any. The event `reset` means everything',
        'text/event-stream',
        string,
      ],
      {
        parameters: [{ ...optional('Last-Event-ID'), in: 'header' }],
        description:
          'One stream per browser, at most 20 per person. It ends with its token, and when membership or role changes. `Last-Event-ID` continues it for 10 minutes. Viewers get no conversations. Not for extensions or API keys.',
        errors: { FORBIDDEN: 'An extension or an API key.', RATE_LIMITED: 'Too many calls or streams.' },
      },
    ),
  },
  '/writer/drafts': {
    post: operation(
      ['AI writer', 'writer.drafts', 'Draft messages, a sequence, a rewrite or replies'],
      'writer:write',
      [
        200,
        'Events `draft`, each with a draft, and `done` with `{ drafts, source, usage, fault }`. After the first event, an error is the event `error` with the error envelope',
        'text/event-stream',
        string,
      ],
      {
        description: `For members. Without a model, or if it fails, \`message\` and \`sequence\` come from the built-in writer, in English; \`fault\` says why.`,
        requestBody: {
          required: true,
          content: {
            // The type accepts only schemas that fit every version of OpenAPI.
            'application/json': { schema: z.toJSONSchema(DraftsInput, { io: 'input' }) as never },
          },
        },
        errors: {
          BUDGET_EXCEEDED: 'For a rewrite or reply.',
          CONVERSATION_NOT_FOUND: '',
          MODEL_NOT_CONFIGURED: 'For a rewrite or reply.',
          MODEL_UNAVAILABLE: 'For a rewrite or reply.',
        },
      },
    ),
  },
  '/scrapes/{id}/events': {
    get: operation(
      ['Scraping', 'scrapes.events', 'Stream the progress of a scrape'],
      'session',
      [200, 'Events `progress` and `done`, with the scrape as data', 'text/event-stream', string],
      { parameters: [parameter('path', 'id')], errors: { SCRAPE_NOT_FOUND: '' } },
    ),
  },
}
