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
div { display: flex; flex-direction: row-reverse; gap: 8px }
button { padding: 10px 24px; font: inherit; font-weight: 600; border: 0; border-radius: 999px; background: transparent; color: var(--act); cursor: pointer }
button[value=continue], button[value=allow] { background: var(--act); color: var(--on-act) }
:focus-visible { outline: 2px solid var(--act); outline-offset: 2px }
[role=alert] { color: var(--bad) }
dt { font-weight: 600 } dd { margin: 0 0 12px; overflow-wrap: anywhere; color: var(--soft) }
a { color: var(--act) }
`
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Sends a page in the stand-ins' style. @param forms origins that its forms may post or redirect to */
export function sendPage(
  reply: FastifyReply,
  title: string,
  body: string,
  { forms = "'self'", script = '' }: { forms?: string; script?: string } = {},
) {
  const scripts = script && ` script-src ${hashOf(script)};`
  reply.type('text/html; charset=utf-8').headers({
    'content-security-policy': `default-src 'none'; style-src ${hashOf(STYLE)};${scripts} form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  return reply.send(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><main>
<h1>${escaped(title)}</h1>
${body}</main>${script && `<script>${script}</script>`}</body></html>`,
  )
}

/** Returns the HTML of a form's hidden fields. */
export function hiddenFields(fields: Record<string, string | undefined>): string {
  return Object.entries(fields)
    .map(([name, value]) => (value ? `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">` : ''))
    .join('')
}

type SignInPage = {
  name: string
  action: string
  /** Hidden fields of the form. */
  hidden?: Record<string, string>
  /** The app's address. The sign-in ends with a redirect to it. */
  appUrl: string
  typed: string
  /** Whether the entered address was invalid. */
  isRefused: boolean
}

/** Sends the sign-in page of a provider that accepts any email address. */
export function signInPage(reply: FastifyReply, { name, action, hidden = {}, appUrl, typed, isRefused }: SignInPage) {
  return sendPage(
    reply.code(isRefused ? 400 : 200),
    `Sign in with ${name}`,
    `<p>to continue to X-Automated. This is the local stand-in for ${name}: any email address works, without a password.</p>
${isRefused ? '<p role="alert">Enter an email address</p>' : ''}
<form method="post" action="${escaped(action)}">${hiddenFields(hidden)}
<label>Email <input name="email" type="text" inputmode="email" value="${escaped(typed)}" autocomplete="email" autocapitalize="none" spellcheck="false" autofocus></label>
<div><button name="decision" value="continue">Continue</button><button name="decision" value="cancel">Cancel</button></div>
</form>`,
    { forms: formsOf(appUrl) },
  )
}

/** Returns the origins for form-action. Browsers also apply it to redirects after a form, so it includes the app. */
export function formsOf(appUrl: string): string {
  return `'self' ${new URL(appUrl).origin}`
}

/** Sends a page that submits a form automatically or, without JavaScript, by its button. */
export function postingPage(reply: FastifyReply, title: string, action: string, fields: Record<string, string>) {
  return sendPage(
    reply,
    title,
    `<form method="post" action="${escaped(action)}">${hiddenFields(fields)}<div><button value="continue">Continue</button></div></form>`,
    { forms: new URL(action).origin, script: 'document.forms[0].submit()' },
  )
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
