import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** An email as received. `to` lists the envelope's recipients, separated by commas. */
export type Mail = {
  id: string
  from: string
  to: string
  subject: string
  text: string
  html: string | null
  at: string
}

const LARGEST_BYTES = 10 * 1024 * 1024

/**
 * Accepts email for any recipient. `deliver` must store the email before returning, because the
 * sender gets the 250 right after that.
 */
export async function openSmtp(port: number, deliver: (mail: Mail, headers: Record<string, string>) => void) {
  let delayMs = 0
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: LARGEST_BYTES,
    closeTimeout: 100,
    onData(stream, session, callback) {
      const recipients = session.envelope.rcptTo.map(({ address }) => address)
      read(stream, recipients).then(
        async ({ mail, headers }) => {
          await sleep(delayMs)
          if (stream.sizeExceeded)
            return callback(Object.assign(new Error('The email is too large'), { responseCode: 552 }))
          deliver(mail, headers)
          callback()
        },
        (error: Error) => callback(error),
      )
    },
  })
  // Clients may disconnect early.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') console.error(error)
  })
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve())
  })
  return {
    port: (server.server.address() as AddressInfo).port,
    /** Delays the response to each email. */
    slowDown(ms: number) {
      delayMs = ms
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** Parses an email. @returns the email, and its headers by lowercase name */
async function read(stream: NodeJS.ReadableStream, recipients: string[]) {
  const parsed = await PostalMime.parse(await buffer(stream))
  const mail: Mail = {
    id: randomUUID(),
    from: parsed.from?.address ?? '',
    to: recipients.join(', '),
    subject: parsed.subject ?? '',
    text: parsed.text ?? '',
    html: parsed.html ?? null,
    at: new Date().toISOString(),
  }
  return { mail, headers: Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value])) }
}
