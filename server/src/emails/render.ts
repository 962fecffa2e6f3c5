import { subjectLine } from '@x-automated/contract/fields'
import type { RenderedEmail } from '../outside/mail.ts'
import type { Email } from './email.ts'

/** Renders an email as text and as HTML that every client can display. */
export function renderEmail(email: Email): RenderedEmail {
  const { to, lines, action, closing, unsubscribeLink } = email
  const subject = subjectLine(email.subject)
  const footer = unsubscribeLink ? [`Unsubscribe: ${unsubscribeLink}`] : []
  const text = [...lines, `${action.label}: ${action.link}`, closing, ...footer, 'X-Automated'].join('\n\n')
  const html = layout({ ...email, subject })
  if (!unsubscribeLink) return { to, subject, text, html }
  const headers = {
    'List-Unsubscribe': `<${unsubscribeLink}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  return { to, subject, text, html, headers }
}

/** The product's colors on light screens; clients that know dark mode replace the first four. */
const COLORS = {
  page: '#f4f6f1',
  card: '#ffffff',
  ink: '#181b15',
  muted: '#5a6054',
  lime: '#b5ee3c',
  onLime: '#1b2a0b',
}
/** Some clients ignore classes, others ignore inline styles, so dark mode needs both and `!important`. */
const STYLES = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page,.page>table>tbody>tr>td{background-color:#0d0f0c!important}
.card{background-color:#171a15!important}
.ink{color:#eef1ea!important}
.muted{color:#a7ada1!important}}`

const FONT = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const TABLE = 'border="0" cellpadding="0" cellspacing="0" role="presentation"'
const MUTED = `font-size:13px;line-height:20px;color:${COLORS.muted}`
const UNDERLINED = `${MUTED};text-decoration:underline`
const LIME = `background-color:${COLORS.lime};color:${COLORS.onLime}`
const LOGO = `${LIME};border-radius:9px;width:32px;height:32px;font-size:20px;font-weight:800;line-height:32px`
const BUTTON =
  `${LIME};border-radius:10px;display:inline-block;max-width:100%;margin-top:8px;padding:12px 20px;` +
  'font-size:15px;font-weight:600;line-height:100%;text-decoration:none;mso-padding-alt:0px'
const CARD = `background-color:${COLORS.card};border-radius:16px;padding:28px`
const LABEL = 'max-width:100%;display:inline-block;line-height:120%;mso-padding-alt:0px;mso-text-raise:9px'
/** Outlook on Windows ignores the padding of links: hair spaces around the label replace it. */
const OUTLOOK_LEFT =
  '<!--[if mso]><i style="mso-font-width:500%;mso-text-raise:18" hidden>&#8202;&#8202;</i><![endif]-->'
const OUTLOOK_RIGHT = '<!--[if mso]><i style="mso-font-width:500%" hidden>&#8202;&#8202;&#8203;</i><![endif]-->'

/** The layout of every email: tables and inline styles. The logo is HTML, so that nothing is loaded. */
function layout({ lines, action, unsubscribeLink, ...email }: Omit<Email, 'to'>): string {
  const [subject, closing, label] = [email.subject, email.closing, action.label].map(escapeHtml)
  const ink = `color:${COLORS.ink}`
  const paragraphs = lines.map(
    (line) => `<p class="ink" style="font-size:15px;line-height:24px;margin:0 0 16px;${ink}">${escapeHtml(line)}</p>`,
  )
  const unsubscribe = unsubscribeLink
    ? ` <a href="${escapeHtml(unsubscribeLink)}" target="_blank" class="muted" style="${UNDERLINED}">Unsubscribe</a>`
    : ''
  return `<!doctype html>
<html dir="ltr" lang="en">
<head>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Type" content="text/html; charset=UTF-8">
<meta name="x-apple-disable-message-reformatting">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
<style>${STYLES}</style>
</head>
<body class="page" style="background-color:${COLORS.page};margin:0;padding:0">
<table width="100%" align="center" ${TABLE}><tbody><tr>
<td style="background-color:${COLORS.page};font-family:${FONT};margin:0;padding:32px 12px">
<table width="100%" align="center" ${TABLE} style="max-width:520px"><tbody><tr style="width:100%"><td>
<table cellpadding="0" cellspacing="0" role="presentation" style="margin:0 0 20px"><tbody><tr>
<td align="center" aria-hidden="true" style="${LOGO}">✕\ufe0e</td>
<td class="ink" style="padding-left:10px;font-size:16px;font-weight:600;${ink}">X-Automated</td>
</tr></tbody></table>
<table width="100%" align="center" ${TABLE} class="card" style="${CARD}"><tbody><tr><td>
<h1 class="ink" style="font-size:22px;line-height:30px;margin:0 0 16px;${ink}">${subject}</h1>
${paragraphs.join('\n')}
<a href="${escapeHtml(action.link)}" target="_blank"
style="${BUTTON}">${OUTLOOK_LEFT}<span style="${LABEL}">${label}</span>${OUTLOOK_RIGHT}</a>
</td></tr></tbody></table>
<p class="muted" style="${MUTED};margin:20px 28px 0">${closing}${unsubscribe}</p>
</td></tr></tbody></table>
</td>
</tr></tbody></table>
</body>
</html>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
