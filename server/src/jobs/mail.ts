import { safeName } from '@x-automated/contract/fields'
import type { Db } from '../db/open.ts'
import type { Email, Mailer } from '../outside/mail.ts'
import { createSealer, type Sealer } from '../sealing.ts'
import type { JobQueue } from './queue.ts'

/** Queues emails, to be sent once the transaction commits. */
export interface Outbox {
  post(db: Db, mail: Email): Promise<void>
  /** Queues many in one statement. */
  postAll(db: Db, mails: readonly Email[]): Promise<void>
}

/** @param secret AUTH_SECRET: queued emails are encrypted, because they may contain login links */
export function createOutbox(jobs: JobQueue, secret: string): Outbox {
  const sealer = mailSealer(secret)
  const seal = (mail: Email) => ({ sealed: sealer.seal(JSON.stringify(mail)) })
  return {
    post: (db, mail) => jobs.enqueue(db, 'mail', seal(mail)),
    postAll: (db, mails) => jobs.enqueueAll(db, 'mail', mails.map(seal)),
  }
}

/** Sends queued emails. */
export async function sendQueuedEmails(jobs: JobQueue, mailer: Mailer, secret: string): Promise<void> {
  const sealer = mailSealer(secret)
  await jobs.work('mail', 2, async ({ sealed }) => mailer.send(JSON.parse(sealer.open(sealed)) as Email))
}

function mailSealer(secret: string): Sealer {
  return createSealer(secret, 'x-automated mail')
}

/** User-chosen names in the subject pass through `safeName`: an email may reach strangers. */
interface Content {
  subject: string
  lines: string[]
  action: { label: string; link: string }
  closing: string
  /** One-click unsubscribe link for this kind of email (RFC 8058). */
  unsubscribeLink?: string
}

/** Renders an email as text and as HTML that every client can display. */
export function renderEmail(to: string, { lines, action, closing, unsubscribeLink, ...content }: Content): Email {
  const subject = safeName(content.subject)
  const footer = unsubscribeLink ? [`Unsubscribe: ${unsubscribeLink}`] : []
  const text = [...lines, `${action.label}: ${action.link}`, closing, ...footer, 'X-Automated'].join('\n\n')
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
