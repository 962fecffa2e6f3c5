import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/** A valid authorization request. */
export type Consent = { redirectUri: string; state: string; scopes: string[]; challenge: string }

const SCOPE_TEXTS: Record<string, string> = {
  'tweet.read': 'See posts that you can see',
  'users.read': 'See accounts that you can see',
  'follows.read': 'See whom you follow and who follows you',
  'dm.read': 'Read your direct messages',
  'dm.write': 'Send direct messages for you',
  'offline.access': 'Stay connected until you revoke access',
}

const STYLE = `
:root { color-scheme: light dark; --ink: #0f1419; --soft: #536471; --line: #cfd9de; --ground: #f7f9f9; --card: #fff; --bad: #b3001b }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9ea; --soft: #8b98a5; --line: #38444d; --ground: #000; --card: #15181c; --bad: #ff8a93 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 400px; padding: 32px; background: var(--card); border: 1px solid var(--line); border-radius: 16px }
h1 { margin: 0 0 8px; font-size: 22px; line-height: 1.25 }
p { margin: 0 0 16px; color: var(--soft) }
ul { margin: 0 0 24px; padding-left: 20px }
label { display: block; margin: 0 0 16px; font-weight: 600 }
input { display: block; width: 100%; margin-top: 4px; padding: 10px 12px; font: inherit; font-weight: 400; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px }
button { width: 100%; margin-top: 8px; padding: 12px; font: inherit; font-weight: 700; border-radius: 999px; border: 1px solid var(--line); background: transparent; color: inherit; cursor: pointer }
button[value=allow] { background: var(--ink); color: var(--card); border-color: var(--ink) }
:focus-visible { outline: 2px solid #1d9bf0; outline-offset: 2px }
[role=alert] { color: var(--bad) }
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** The page on which a person signs in and accepts or cancels the app's request. */
export function authorizePage(
  reply: FastifyReply,
  asked: Consent,
  fields: Record<string, string | undefined>,
  problem?: string,
) {
  const kept = [
    'response_type',
    'client_id',
    'redirect_uri',
    'scope',
    'state',
    'code_challenge',
    'code_challenge_method',
  ]
  const hidden = kept.flatMap((name) => {
    const value = fields[name]
    return value === undefined ? [] : [`<input type="hidden" name="${name}" value="${escaped(value)}">`]
  })
  const body = `
<h1>X-Automated wants to access your X account</h1>
<p>This is the local stand-in for X. Sign in with any username and a password of 8 or more characters.</p>
${problem ? `<p role="alert">${escaped(problem)}</p>` : ''}
<p>The app will be able to:</p>
<ul>${asked.scopes.map((scope) => `<li>${escaped(SCOPE_TEXTS[scope] ?? scope)}</li>`).join('')}</ul>
<form method="post" action="/i/oauth2/authorize">
${hidden.join('')}
<label>Username <input name="username" value="${escaped(fields.username ?? '')}" autocomplete="username" autocapitalize="none" spellcheck="false" autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password"></label>
<button name="decision" value="allow">Authorize app</button>
<button name="decision" value="cancel">Cancel</button>
</form>`
  // Browsers apply form-action to the redirect after a form too, so it must include the app's
  // origin.
  return page(reply.code(problem ? 400 : 200), 'Authorize X-Automated', body, new URL(asked.redirectUri).origin)
}

/**
 * The sign-in page of X's own pages. @param next path after sign-in @param refused the rejected
 * username
 */
export function signInPage(reply: FastifyReply, next: string, refused?: string) {
  const body = `
<h1>Sign in to X</h1>
<p>This is the local stand-in for X. Sign in with any username and a password of 8 or more characters.</p>
${refused === undefined ? '' : '<p role="alert">Wrong username or password. Any username works here, with a password of 8 or more characters.</p>'}
<form method="post" action="/i/flow/login">
<input type="hidden" name="next" value="${escaped(next)}">
<label>Username <input name="username" value="${escaped(refused ?? '')}" autocomplete="username" autocapitalize="none" spellcheck="false" autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password"></label>
<button name="decision" value="allow" data-testid="LoginForm_Login_Button">Log in</button>
</form>`
  return page(reply.code(refused === undefined ? 200 : 400), 'Log in to X', body)
}

/** An invalid request is shown to the person and never redirected to the app. */
export function problemPage(reply: FastifyReply, problem: string) {
  const body = `<h1>Something went wrong</h1><p>You weren’t able to give access to the app. Go back and try logging in again.</p><p role="alert">${escaped(problem)}</p>`
  return page(reply.code(400), 'Something went wrong', body)
}

function page(reply: FastifyReply, title: string, body: string, formTarget = '') {
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${formTarget}; frame-ancestors 'none'; base-uri 'none'`
  reply.type('text/html; charset=utf-8').headers({
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  return reply.send(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><style>${STYLE}</style></head><body><main>${body}</main></body></html>`,
  )
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
