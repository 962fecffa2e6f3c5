import type { OpenAPI } from '@orpc/openapi'
import { formatNumber } from '@x-automated/contract/format'
import { IMPORT_REJECTED_MAX, IMPORT_REJECTED_NAMED } from '@x-automated/contract/leads/import-limits'
import { IMPORT_MAX_BYTES } from '@x-automated/contract/leads/leads'
import { X_CALLBACK_OUTCOMES } from '@x-automated/contract/platform/x-account'

/** The rule for files with too many rejected rows. */
const REJECTED_RULE = `If more than ${formatNumber(IMPORT_REJECTED_MAX)} rows have a problem, nothing is imported: 400 with the first problem.`

/**
 * Operations outside the typed contract (redirects, files, streams), described by hand for
 * /api/openapi.json.
 */
export const edgeOperations: Record<string, OpenAPI.PathItemObject> = {
  '/auth/verify-email': {
    get: {
      operationId: 'auth.verifyEmail',
      tags: ['Authentication'],
      summary: 'Confirm a sign-up by its emailed link',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: {
        '302': {
          description:
            'In the browser that signed up, redirects to {origin}/auth/callback with a one-time code. In any other browser, redirects to {origin}/auth/confirm#token, which asks for a new password. If the link is invalid, redirects to {origin}/auth/callback with an error',
        },
      },
    },
  },
  '/auth/callback/google': {
    get: {
      operationId: 'identities.callback',
      tags: ['Authentication'],
      summary: 'Google sign-in callback',
      parameters: ['state', 'code', 'error'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
      responses: {
        '302': {
          description:
            'Redirects to {origin}/auth/callback, /waitlist or /account, depending on where sign-in started, with a one-time code or an error',
        },
      },
    },
  },
  '/session/callback': {
    get: {
      operationId: 'xAccount.callback',
      tags: ['X connection'],
      summary: 'X authorization callback',
      parameters: ['state', 'code', 'error'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
      responses: {
        '302': { description: `Redirects to {origin}/twitter?x= with the outcome: ${X_CALLBACK_OUTCOMES.join(', ')}` },
      },
    },
  },
  '/auth/sso/leave': {
    get: {
      operationId: 'sso.leave',
      tags: ['Single sign-on'],
      summary: 'Redirect the browser to the identity provider',
      parameters: [{ name: 'request', in: 'query', required: true, schema: { type: 'string' } }],
      responses: {
        '303': { description: 'Redirects to the provider, or to {origin}/auth/callback or /account with an error' },
      },
    },
  },
  '/auth/sso/oidc/{workspaceId}/callback': {
    get: {
      operationId: 'sso.openIdCallback',
      tags: ['Single sign-on'],
      summary: 'OpenID provider callback',
      parameters: [
        { name: 'workspaceId', in: 'path', required: true, schema: { type: 'string' } },
        ...['state', 'code', 'iss', 'error'].map((name) => ({
          name,
          in: 'query' as const,
          schema: { type: 'string' as const },
        })),
      ],
      responses: {
        '303': { description: 'Redirects to {origin}/auth/callback or /account with a one-time code or an error' },
      },
    },
  },
  '/auth/sso/saml/{workspaceId}/acs': {
    post: {
      operationId: 'sso.samlCallback',
      tags: ['Single sign-on'],
      summary: 'SAML 2.0 assertion consumer service (HTTP-POST)',
      parameters: [{ name: 'workspaceId', in: 'path', required: true, schema: { type: 'string' } }],
      requestBody: {
        required: true,
        content: {
          'application/x-www-form-urlencoded': {
            schema: { type: 'object', properties: { SAMLResponse: { type: 'string' } } },
          },
        },
      },
      responses: {
        '303': { description: 'Redirects to {origin}/auth/callback or /account with a one-time code or an error' },
      },
    },
  },
  '/auth/sso/saml/{workspaceId}/metadata': {
    get: {
      operationId: 'sso.samlMetadata',
      tags: ['Single sign-on'],
      summary: 'Get our SAML metadata for an identity provider',
      parameters: [{ name: 'workspaceId', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'SAML 2.0 metadata', content: { 'application/samlmetadata+xml': {} } } },
    },
  },
  '/auth/user/export': {
    get: {
      operationId: 'personalData.export',
      tags: ['Account'],
      summary: 'Export all account data as a ZIP of JSON files',
      responses: {
        '200': { description: 'The archive', content: { 'application/zip': {} } },
        '403': { description: 'REAUTHENTICATION_NEEDED: this is a single sign-on session' },
      },
    },
  },
  '/auth/change-email': {
    get: {
      operationId: 'auth.askEmailChange',
      tags: ['Account'],
      summary: 'Show the confirmation page of an email change',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'A page with one button', content: { 'text/html': {} } } },
    },
    post: {
      operationId: 'auth.confirmEmailChange',
      tags: ['Account'],
      summary: 'Confirm an email change',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: {
        '303': {
          description:
            'Redirects to {origin}/account with emailChange=done, emailChange=waiting (for the other address), or emailChange=error (link unknown, used or expired)',
        },
      },
    },
  },
  '/waitlist/confirm': {
    get: {
      operationId: 'waitlist.confirm',
      tags: ['Waitlist'],
      summary: "Confirm a member's email address by its emailed link",
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '302': { description: 'Redirects to {origin}/waitlist with confirmed=true or an error' } },
    },
  },
  '/waitlist/unsubscribe': {
    get: {
      operationId: 'waitlist.askUnsubscribe',
      tags: ['Waitlist'],
      summary: 'Show the unsubscribe page for waitlist emails',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'A page with one button', content: { 'text/html': {} } } },
    },
    post: {
      operationId: 'waitlist.unsubscribe',
      tags: ['Waitlist'],
      summary: 'Unsubscribe from waitlist emails (one click, RFC 8058)',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'Unsubscribed', content: { 'text/html': {} } } },
    },
  },
  '/extension.zip': {
    servers: [{ url: '/' }],
    get: {
      operationId: 'extension.download',
      tags: ['Extension'],
      summary: 'Download the browser extension',
      responses: { '200': { description: 'Unzip it and load it unpacked', content: { 'application/zip': {} } } },
    },
  },
  '/notifications/unsubscribe': {
    get: {
      operationId: 'notifications.askUnsubscribe',
      tags: ['Notifications'],
      summary: 'Show the unsubscribe page for a kind of notification',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'A page with one button', content: { 'text/html': {} } } },
    },
    post: {
      operationId: 'notifications.unsubscribe',
      tags: ['Notifications'],
      summary: 'Unsubscribe from a kind of notification (one click, RFC 8058)',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'Unsubscribed', content: { 'text/html': {} } } },
    },
  },
  '/suppressions/import': {
    post: {
      operationId: 'suppressions.import',
      tags: ['Suppressions'],
      summary: 'Import people into the suppression list from CSV',
      description: `At most ${IMPORT_MAX_BYTES / 1024 / 1024} MiB. Columns: twitter_handle (required), x_user_id, reason (opted_out, replied_stop, manual or import) and note. Other columns are ignored. A single column of handles works without a header. Messages queued for these people fail immediately. Existing entries are not changed. ${REJECTED_RULE}`,
      requestBody: { required: true, content: { 'text/csv': { schema: { type: 'string' } } } },
      responses: {
        '200': {
          description: 'The result of each row',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  imported: { type: 'integer' },
                  known: { type: 'integer' },
                  stopped: { type: 'integer' },
                  rejected: {
                    type: 'array',
                    items: { type: 'object', properties: { line: { type: 'integer' }, problem: { type: 'string' } } },
                  },
                  rejectedCount: { type: 'integer' },
                },
              },
            },
          },
        },
      },
    },
  },
  '/leads/import': {
    post: {
      operationId: 'leads.import',
      tags: ['Leads'],
      summary: 'Import leads from CSV',
      description: `At most ${IMPORT_MAX_BYTES / 1024 / 1024} MiB. Headers are the column names of a lead. Only twitter_handle is required; unknown columns become metadata. UTF-8, separated by commas, semicolons or tabs. Blank cells change nothing. The response lists the first ${formatNumber(IMPORT_REJECTED_NAMED)} rejected rows; all others are imported. ${REJECTED_RULE} Importing the same file again changes nothing. Each user's files are imported one at a time. Once the file is sent, the import continues even if the client disconnects; GET /imports shows its progress. With \`Accept: application/x-ndjson\`, the response streams progress as lines: first \`{"import": {"id"}}\`, last \`{"result"}\` or \`{"failure": {"status", "body"}}\`.`,
      requestBody: { required: true, content: { 'text/csv': { schema: { type: 'string' } } } },
      responses: {
        '200': {
          description: 'The result of each row',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  imported: { type: 'integer' },
                  updated: { type: 'integer' },
                  rejected: {
                    type: 'array',
                    items: { type: 'object', properties: { line: { type: 'integer' }, problem: { type: 'string' } } },
                  },
                  rejectedCount: { type: 'integer' },
                },
              },
            },
          },
        },
        '409': {
          description:
            'IMPORT_STATE: it was stopped (POST /imports/{id}/cancel), or the server stalled for too long. Nothing was imported.',
        },
      },
    },
  },
  '/leads/export': {
    get: {
      operationId: 'leads.export',
      tags: ['Leads'],
      summary: 'Export leads as CSV',
      description: 'Accepts the filters of GET /leads.',
      responses: {
        '200': { description: 'All matching leads', content: { 'text/csv': { schema: { type: 'string' } } } },
      },
    },
  },
  '/operator/members/export': {
    get: {
      operationId: 'operator.export',
      tags: ['Operator'],
      summary: 'Export every member of the waitlist as CSV',
      description: 'For operators; 404 for everyone else. `x-total-count` is the number of members.',
      responses: { '200': { description: 'All members', content: { 'text/csv': { schema: { type: 'string' } } } } },
    },
  },
  '/scrapes/{id}/events': {
    get: {
      operationId: 'scrapes.events',
      tags: ['Scraping'],
      summary: 'Follow a scrape',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: {
        '200': {
          description: 'Events `progress` and `done`, with the scrape as data',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
      },
    },
  },
}
