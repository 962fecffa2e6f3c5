import type { FastifyReply } from 'fastify'
import { escaped, formsOf, hiddenFields, sendPage } from '../page.ts'

/** A valid authorization request. */
export type Consent = { clientId: string; redirectUri: string; state: string; scopes: string[]; challenge: string }

type Fields = Record<string, string | undefined>

const SCOPE_TEXTS: Record<string, string> = {
  'tweet.read': 'See posts that you can see',
  'users.read': 'See accounts that you can see',
  'follows.read': 'See whom you follow and who follows you',
  'dm.read': 'Read your direct messages',
  'dm.write': 'Send direct messages for you',
  'like.read': 'See posts you have liked and likes you can see',
  'list.read': 'See lists you can see and their members',
  'offline.access': 'Stay connected until you revoke access',
}

const RULE = 'any username works here, with a password of 8 or more characters.'

/** Returns the HTML of the sign-in fields. @param refused whether the previous attempt was rejected */
function signInFields(username: string, refused: boolean): string {
  return `<p>This is the local stand-in for X: ${RULE}</p>
${refused ? '<p role="alert">Wrong username or password.</p>' : ''}
<label>Username <input name="username" value="${escaped(username)}" autocomplete="username" autocapitalize="none" spellcheck="false" autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password"></label>`
}

/**
 * Sends the page on which a person signs in, and accepts or cancels the app's request.
 * @param refused whether the sign-in was rejected
 */
export function authorizePage(reply: FastifyReply, consent: Consent, fields: Fields, refused = false) {
  const { username = '', password: _, decision: __, ...carried } = fields
  const body = `<p>The app will be able to:</p>
<ul>${consent.scopes.map((scope) => `<li>${escaped(SCOPE_TEXTS[scope] ?? scope)}</li>`).join('')}</ul>
<form method="post" action="/i/oauth2/authorize">
${hiddenFields(carried)}
${signInFields(username, refused)}
<div><button name="decision" value="allow">Authorize app</button><button name="decision" value="cancel">Cancel</button></div>
</form>`
  const title = 'X-Automated wants to access your X account'
  return sendPage(reply.code(refused ? 400 : 200), title, body, { forms: formsOf(consent.redirectUri) })
}

/** Sends the sign-in page of x.com. @param next path after sign-in @param refused the rejected username */
export function signInPage(reply: FastifyReply, next: string, refused?: string) {
  const body = `<form method="post" action="/i/flow/login">
${hiddenFields({ next })}
${signInFields(refused ?? '', refused !== undefined)}
<div><button name="decision" value="allow" data-testid="LoginForm_Login_Button">Log in</button></div>
</form>`
  return sendPage(reply.code(refused === undefined ? 200 : 400), 'Log in to X', body)
}

/** Shows the person what is wrong with an invalid request, which is never redirected to the app. */
export function problemPage(reply: FastifyReply, problem: string) {
  const body = `<p>You weren’t able to give access to the app. Go back and try logging in again.</p><p role="alert">${escaped(problem)}</p>`
  return sendPage(reply.code(400), 'Something went wrong', body)
}
