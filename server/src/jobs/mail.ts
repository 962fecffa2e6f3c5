import type { Email } from '../emails/email.ts'
import { renderEmail } from '../emails/render.ts'
import type { Mailer, RenderedEmail } from '../outside/mail.ts'
import type { JobQueue, Outbox } from '../ports.ts'
import { createSealer, type Sealer } from '../sealing.ts'

/** Creates an outbox. @param secret AUTH_SECRET: encrypts queued emails, because they may contain login links */
export function createOutbox(jobs: JobQueue, secret: string): Outbox {
  const sealer = mailSealer(secret)
  const seal = (mail: Email) => ({ sealed: sealer.seal(JSON.stringify(mail)) })
  return {
    post: (db, mail) => jobs.enqueue(db, 'mail', seal(mail)),
    postAccount: (db, mail) => jobs.enqueue(db, 'account-mail-send', seal(mail)),
    postAll: (db, mails) => jobs.enqueueAll(db, 'mail', mails.map(seal)),
  }
}

/** Starts the workers that send queued emails. */
export async function sendQueuedEmails(jobs: JobQueue, mailer: Mailer, secret: string): Promise<void> {
  const sealer = mailSealer(secret)
  const send = async ({ sealed }: { sealed: string }) => {
    const mail = JSON.parse(sealer.open(sealed)) as Email | RenderedEmail
    // Earlier versions queued rendered emails.
    await mailer.send('html' in mail ? mail : renderEmail(mail))
  }
  await jobs.work('account-mail-send', 2, send)
  await jobs.work('mail', 2, send)
}

function mailSealer(secret: string): Sealer {
  return createSealer(secret, 'x-automated mail')
}
