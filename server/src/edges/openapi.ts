import type { OpenAPI } from '@orpc/openapi'
import { IMPORT_REJECTED_MAX, IMPORT_REJECTED_NAMED } from '@x-automated/contract/import-limits'
import { IMPORT_MAX_BYTES } from '@x-automated/contract/leads'
import { X_CALLBACK_OUTCOMES } from '@x-automated/contract/x-account'

/** What imports say of files that are no good. */
const STOPS = `If more than ${IMPORT_REJECTED_MAX.toLocaleString('en')} lines have a problem, nothing is imported: 400 with the first of them.`

/** The operations that the contract cannot say (redirects, files, streams), described by hand for /api/openapi.json. */
export const edgeOperations: Record<string, OpenAPI.PathItemObject> = {
  '/auth/verify-email': {
    get: {
      operationId: 'auth.verifyEmail',
      tags: ['Authentication'],
      summary: 'Open the emailed link of a sign-up',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: {
        '302': {
          description:
            'In the browser that signed up: to {origin}/auth/callback with a one-time code. Anywhere else nothing changes: to {origin}/auth/confirm#token, which asks for a new password. To {origin}/auth/callback with an error if the link is invalid',
        },
      },
    },
  },
  '/auth/callback/google': {
    get: {
      operationId: 'identities.callback',
      tags: ['Authentication'],
      summary: 'Where Google sends the browser back to',
      parameters: ['state', 'code', 'error'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
      responses: {
        '302': {
          description:
            'To {origin}/auth/callback, /waitlist or /account (as the sign-in began) with a one-time code, or with an error',
        },
      },
    },
  },
  '/session/callback': {
    get: {
      operationId: 'xAccount.callback',
      tags: ['X connection'],
      summary: 'Where X sends the browser back to',
      parameters: ['state', 'code', 'error'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
      responses: {
        '302': { description: `To {origin}/twitter?x=, which says how it ended: ${X_CALLBACK_OUTCOMES.join(', ')}` },
      },
    },
  },
  '/auth/sso/leave': {
    get: {
      operationId: 'sso.leave',
      tags: ['Single sign-on'],
      summary: 'Lead the browser on to the identity provider',
      parameters: [{ name: 'request', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '303': { description: 'To the provider, or to {origin}/auth/callback or /account with an error' } },
    },
  },
  '/auth/sso/oidc/{workspaceId}/callback': {
    get: {
      operationId: 'sso.openIdCallback',
      tags: ['Single sign-on'],
      summary: 'Where an OpenID provider sends the browser back to',
      parameters: [
        { name: 'workspaceId', in: 'path', required: true, schema: { type: 'string' } },
        ...['state', 'code', 'iss', 'error'].map((name) => ({
          name,
          in: 'query' as const,
          schema: { type: 'string' as const },
        })),
      ],
      responses: {
        '303': { description: 'To {origin}/auth/callback or /account with a one-time code, or with an error' },
      },
    },
  },
  '/auth/sso/saml/{workspaceId}/acs': {
    post: {
      operationId: 'sso.samlCallback',
      tags: ['Single sign-on'],
      summary: 'The assertion consumer service (SAML 2.0, HTTP-POST)',
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
        '303': { description: 'To {origin}/auth/callback or /account with a one-time code, or with an error' },
      },
    },
  },
  '/auth/sso/saml/{workspaceId}/metadata': {
    get: {
      operationId: 'sso.samlMetadata',
      tags: ['Single sign-on'],
      summary: 'Our metadata, for an identity provider',
      parameters: [{ name: 'workspaceId', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'SAML 2.0 metadata', content: { 'application/samlmetadata+xml': {} } } },
    },
  },
  '/auth/user/export': {
    get: {
      operationId: 'personalData.export',
      tags: ['Account'],
      summary: 'Everything of the account, as one ZIP of JSON files',
      responses: {
        '200': { description: 'The archive', content: { 'application/zip': {} } },
        '403': { description: 'REAUTHENTICATION_NEEDED: the session came from single sign-on' },
      },
    },
  },
  '/auth/change-email': {
    get: {
      operationId: 'auth.askEmailChange',
      tags: ['Account'],
      summary: 'Ask whether a mailbox agrees to the change of an address',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'A page with one button', content: { 'text/html': {} } } },
    },
    post: {
      operationId: 'auth.confirmEmailChange',
      tags: ['Account'],
      summary: 'Agree to the change of an address',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: {
        '303': {
          description:
            'To {origin}/account with emailChange=done, emailChange=waiting (for the other mailbox), or emailChange=error (unknown, used or late)',
        },
      },
    },
  },
  '/waitlist/confirm': {
    get: {
      operationId: 'waitlist.confirm',
      tags: ['Waitlist'],
      summary: "Open the link of a member's confirmation mail",
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '302': { description: 'To {origin}/waitlist with confirmed=true, or with an error' } },
    },
  },
  '/waitlist/unsubscribe': {
    get: {
      operationId: 'waitlist.askUnsubscribe',
      tags: ['Waitlist'],
      summary: 'Ask whether to stop mails about the waitlist',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'A page with one button', content: { 'text/html': {} } } },
    },
    post: {
      operationId: 'waitlist.unsubscribe',
      tags: ['Waitlist'],
      summary: 'Stop mails about the waitlist (one click, RFC 8058)',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'Stopped', content: { 'text/html': {} } } },
    },
  },
  '/extension.zip': {
    servers: [{ url: '/' }],
    get: {
      operationId: 'extension.download',
      tags: ['Extension'],
      summary: 'Download the browser extension',
      responses: { '200': { description: 'To be unpacked and loaded', content: { 'application/zip': {} } } },
    },
  },
  '/notices/unsubscribe': {
    get: {
      operationId: 'notices.askUnsubscribe',
      tags: ['Notices'],
      summary: 'Ask whether to stop mails of this kind',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'A page with one button', content: { 'text/html': {} } } },
    },
    post: {
      operationId: 'notices.unsubscribe',
      tags: ['Notices'],
      summary: 'Stop mails of this kind (one click, RFC 8058)',
      parameters: [{ name: 'token', in: 'query', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'Stopped', content: { 'text/html': {} } } },
    },
  },
  '/suppressions/import': {
    post: {
      operationId: 'suppressions.import',
      tags: ['Suppressions'],
      summary: 'Import people not to write to from CSV',
      description: `At most ${IMPORT_MAX_BYTES / 1024 / 1024} MiB. Columns twitter_handle (alone required), x_user_id, reason (opted_out, replied_stop, manual or import) and note; others are passed over. A bare column of handles will do. What is queued for any of them fails at once. Who is on the list already stays as they are. ${STOPS}`,
      requestBody: { required: true, content: { 'text/csv': { schema: { type: 'string' } } } },
      responses: {
        '200': {
          description: 'What became of each line',
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
      description: `At most ${IMPORT_MAX_BYTES / 1024 / 1024} MiB. Headers are the column names of a lead; only twitter_handle is required; unknown columns become metadata. Comma, semicolon or tab, UTF-8. A blank cell changes nothing. Lines that cannot be imported are named in the answer (the first ${IMPORT_REJECTED_NAMED.toLocaleString('en')}), all others are imported; ${STOPS} The same file again changes nothing. One file of a user is imported at a time, the next ones wait. Once the file is sent the import goes on without its sender: GET /imports says how far it is. With \`Accept: application/x-ndjson\` the answer tells it line by line, the first one being \`{"import": {"id"}}\`, and the last \`{"result"}\` or \`{"failure": {"status", "body"}}\` with the error.`,
      requestBody: { required: true, content: { 'text/csv': { schema: { type: 'string' } } } },
      responses: {
        '200': {
          description: 'What became of each line',
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
            'IMPORT_STATE: somebody has stopped it (POST /imports/{id}/cancel), or the server was held up for too long. Nothing of the file was kept.',
        },
      },
    },
  },
  '/leads/export': {
    get: {
      operationId: 'leads.export',
      tags: ['Leads'],
      summary: 'Export leads as CSV',
      description: 'Takes the filter of GET /leads.',
      responses: {
        '200': { description: 'All leads that match', content: { 'text/csv': { schema: { type: 'string' } } } },
      },
    },
  },
  '/operator/members/export': {
    get: {
      operationId: 'operator.export',
      tags: ['Operator'],
      summary: 'Export every member of the waitlist as CSV',
      description: 'For operators; to all others there is nothing here. `x-total-count` says how many there are.',
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
          description: 'Events `progress` and `done`; the data is the scrape',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
      },
    },
  },
}
