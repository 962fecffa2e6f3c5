import { subjectLine } from '@x-automated/contract/fields'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { RenderedEmail } from '../outside/mail.ts'
import type { Email } from './email.ts'
import { Letter } from './letter.ts'

/** Renders an email as text and as HTML that every client can display. */
export function renderEmail(email: Email): RenderedEmail {
  const { to, lines, action, closing, unsubscribeLink } = email
  const subject = subjectLine(email.subject)
  const footer = unsubscribeLink ? [`Unsubscribe: ${unsubscribeLink}`] : []
  const text = [...lines, `${action.label}: ${action.link}`, closing, ...footer, 'X-Automated'].join('\n\n')
  const html = `<!doctype html>\n${renderToStaticMarkup(createElement(Letter, { ...email, subject }))}`
  if (!unsubscribeLink) return { to, subject, text, html }
  const headers = {
    'List-Unsubscribe': `<${unsubscribeLink}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  return { to, subject, text, html, headers }
}
