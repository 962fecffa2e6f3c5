import { safeName } from '@x-automated/contract/fields'
import type { Db } from '../db/open.ts'
import type { Mail, Mailer } from '../outside/mail.ts'
import { createSealer, type Sealer } from '../sealing.ts'
import type { JobQueue } from './queue.ts'

/** A mail that goes out when the transaction commits that queued it. */
export interface Outbox {
  post(db: Db, mail: Mail): Promise<void>
  /** Many, in one statement. */
  postAll(db: Db, mails: readonly Mail[]): Promise<void>
}

/** @param secret AUTH_SECRET: mails lie sealed in the queue, as they may hold a link that signs in */
export function createOutbox(jobs: JobQueue, secret: string): Outbox {
  const sealer = mailSealer(secret)
  const seal = (mail: Mail) => ({ sealed: sealer.seal(JSON.stringify(mail)) })
  return {
    post: (db, mail) => jobs.enqueue(db, 'mail', seal(mail)),
    postAll: (db, mails) => jobs.enqueueAll(db, 'mail', mails.map(seal)),
  }
}

/** Sends queued mails. */
export async function workOnMails(jobs: JobQueue, mailer: Mailer, secret: string): Promise<void> {
  const sealer = mailSealer(secret)
  await jobs.work('mail', 2, async ({ sealed }) => mailer.send(JSON.parse(sealer.open(sealed)) as Mail))
}

function mailSealer(secret: string): Sealer {
  return createSealer(secret, 'x-automated mail')
}

/** Names that people chose go into a letter through `safeName`: it may reach strangers. */
interface Letter {
  subject: string
  lines: string[]
  action: { label: string; link: string }
  closing: string
  /** Where one click ends mails of this kind (RFC 8058). */
  unsubscribeLink?: string
}

/** The one layout of our mails, as text and as HTML that reads in every client. */
export function mailOf(to: string, { lines, action, closing, unsubscribeLink, ...letter }: Letter): Mail {
  const subject = safeName(letter.subject)
  const goodbye = unsubscribeLink ? [`Unsubscribe: ${unsubscribeLink}`] : []
  const text = [...lines, `${action.label}: ${action.link}`, closing, ...goodbye, 'X-Automated'].join('\n\n')
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;background:#f6f6f4;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;color:#191918">
<div style="max-width:480px;margin:0 auto;padding:40px 24px">
<p style="margin:0 0 24px;font-weight:600;font-size:16px">X-Automated</p>
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(subject)}</h1>
${lines.map((line) => `<p style="margin:0 0 16px;font-size:15px;line-height:1.6">${escapeHtml(line)}</p>`).join('\n')}
<p style="margin:24px 0"><a href="${escapeHtml(action.link)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#191918;color:#ffffff;text-decoration:none;font-size:15px;font-weight:600">${escapeHtml(action.label)}</a></p>
<p style="margin:0;font-size:13px;line-height:1.6;color:#5e5e5a">${escapeHtml(closing)}${unsubscribeLink ? ` <a href="${escapeHtml(unsubscribeLink)}" style="color:#5e5e5a">Unsubscribe</a>` : ''}</p>
</div></body></html>`
  if (!unsubscribeLink) return { to, subject, text, html }
  const headers = {
    'List-Unsubscribe': `<${unsubscribeLink}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  return { to, subject, text, html, headers }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}
