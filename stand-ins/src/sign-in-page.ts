import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

const STYLE = `
:root { color-scheme: light dark; --ink: #1f1f1f; --soft: #444746; --line: #747775; --ground: #f0f4f9; --card: #fff; --act: #0b57d0; --on-act: #fff; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e3e3; --soft: #c4c7c5; --line: #8e918f; --ground: #1e1f20; --card: #0e0e0e; --act: #a8c7fa; --on-act: #062e6f; --bad: #f2b8b5 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 420px; padding: 32px; background: var(--card); border-radius: 24px }
h1 { margin: 0 0 8px; font-size: 24px; font-weight: 400; line-height: 1.3 }
p { margin: 0 0 24px; color: var(--soft) }
label { display: block; margin: 0 0 24px; font-weight: 600 }
input { display: block; width: 100%; margin-top: 4px; padding: 12px; font: inherit; font-weight: 400; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 4px }
div { display: flex; justify-content: flex-end; gap: 8px }
button { padding: 10px 24px; font: inherit; font-weight: 600; border: 0; border-radius: 999px; background: transparent; color: var(--act); cursor: pointer }
button[value=continue] { background: var(--act); color: var(--on-act) }
:focus-visible { outline: 2px solid var(--act); outline-offset: 2px }
[role=alert] { color: var(--bad) }
dt { font-weight: 600 } dd { margin: 0 0 12px; overflow-wrap: anywhere; color: var(--soft) }
a { color: var(--act) }
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export type SignInPage = {
  /** The provider's name. */
  name: string
  action: string
  /** Hidden fields of the form. */
  hidden?: Record<string, string>
  /** The origin to which the sign-in finally redirects. */
  appOrigin: string
  typed: string
  /** Whether the typed address was invalid. */
  isRefused: boolean
}

/** Sends the sign-in page. */
export function signInPage(
  reply: FastifyReply,
  { name, action, hidden = {}, appOrigin, typed, isRefused }: SignInPage,
) {
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${appOrigin}; frame-ancestors 'none'; base-uri 'none'`
  reply.code(isRefused ? 400 : 200)
  const carried = Object.entries(hidden).map(
    ([key, value]) => `<input type="hidden" name="${key}" value="${escaped(value)}">`,
  )
  return sendPage(
    reply,
    policy,
    `Sign in with ${name}`,
    `<p>to continue to X-Automated. This is the local stand-in for ${name}: any email address works, without a password.</p>
${isRefused ? '<p role="alert">Enter an email address</p>' : ''}
<form method="post" action="${escaped(action)}">${carried.join('')}
<label>Email <input name="email" type="text" inputmode="email" value="${escaped(typed)}" autocomplete="email" autocapitalize="none" spellcheck="false" autofocus></label>
<div><button name="decision" value="cancel">Cancel</button><button name="decision" value="continue">Continue</button></div>
</form>`,
  )
}

const SUBMIT = 'document.forms[0].submit()'
const SUBMIT_HASH = createHash('sha256').update(SUBMIT).digest('base64')

/** Sends a page that submits a form automatically, or by its button without JavaScript. */
export function postingPage(reply: FastifyReply, title: string, action: string, fields: Record<string, string>) {
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; script-src 'sha256-${SUBMIT_HASH}'; form-action ${new URL(action).origin}; frame-ancestors 'none'; base-uri 'none'`
  const inputs = Object.entries(fields).map(
    ([key, value]) => `<input type="hidden" name="${key}" value="${escaped(value)}">`,
  )
  return sendPage(
    reply,
    policy,
    title,
    `<form method="post" action="${escaped(action)}">${inputs.join('')}<div><button value="continue">Continue</button></div></form><script>${SUBMIT}</script>`,
  )
}

/** Sends a page in the stand-ins' common style. */
export function sendPage(reply: FastifyReply, policy: string, title: string, body: string) {
  reply.type('text/html; charset=utf-8').headers({
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  return reply.send(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><style>${STYLE}</style></head><body><main>
<h1>${title}</h1>
${body}</main></body></html>`,
  )
}

/** Content security policy for pages whose forms post to themselves. */
export const OWN_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
