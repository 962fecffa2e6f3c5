import { join } from 'node:path'
import { type AppendLog, openAppendLog } from './append-log.ts'
import { listenOnLoopback, loopbackServer } from './loopback.ts'
import { addMailPages } from './mailbox/pages.ts'
import { type Mail, openSmtp } from './mailbox/smtp.ts'

export type MailboxOptions = {
  /** The port of the page and the JSON. Defaults to any free port. */
  port?: number
  smtpPort?: number
  /** Folder for emails; in memory if unset. */
  stateDir?: string
}

export type Mailbox = Awaited<ReturnType<typeof startMailbox>>

const MAX_EMAILS = 2000

type Entry = { type: 'mail'; mail: Mail } | { type: 'emptied' }

/**
 * Starts a mailbox that accepts all email (SMTP without authentication) and shows the newest 2,000
 * messages at `/` and as JSON at `/messages`.
 */
export async function startMailbox(options: MailboxOptions = {}) {
  const { port = 0, smtpPort = 0, stateDir } = options
  let mails: Mail[] = []
  let entries = 0

  let log: AppendLog<Entry> | undefined
  const apply = (entry: Entry) => {
    entries++
    mails = entry.type === 'emptied' ? [] : mails
    if (entry.type === 'mail') mails.push(entry.mail)
    if (mails.length > MAX_EMAILS) mails.shift()
  }
  const record = (entry: Entry) => {
    log?.append(entry)
    apply(entry)
    if (entry.type === 'emptied' || entries > 2 * MAX_EMAILS) compact()
  }
  const compact = () => {
    log?.rewrite(mails.map((mail) => ({ type: 'mail', mail })))
    entries = mails.length
  }
  log = openAppendLog<Entry>(stateDir && join(stateDir, 'mailbox.jsonl'), apply)

  const app = loopbackServer()
  app.addHook('onClose', async () => log?.close())
  addMailPages(app, { mails: () => mails, empty: () => record({ type: 'emptied' }) })
  const headers = new Map<string, Record<string, string>>()
  const store = (mail: Mail, itsHeaders: Record<string, string>) => {
    if (headers.size >= MAX_EMAILS) headers.clear()
    headers.set(mail.id, itsHeaders)
    record({ type: 'mail', mail })
  }
  const smtp = await openSmtp(smtpPort, store).catch(async (error) => {
    await app.close()
    throw error
  })
  app.addHook('onClose', () => smtp.close())
  const address = await listenOnLoopback(app, port)
  return {
    ...address,
    smtpUrl: `smtp://127.0.0.1:${smtp.port}`,
    smtpPort: smtp.port,
    slowDown: smtp.slowDown,
    /** Returns the headers of an email received since the start, by lowercase name. */
    headersOf: (id: string) => headers.get(id),
    close: () => app.close(),
  }
}
