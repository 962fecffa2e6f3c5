import nodemailer from 'nodemailer'

/** An email as it is sent. */
export interface RenderedEmail {
  to: string
  subject: string
  text: string
  html: string
  /** In addition to the default headers. */
  headers?: Record<string, string>
}

export type Mailer = ReturnType<typeof createMailer>

/**
 * Creates a client of an SMTP server. @param smtpUrl smtp://user:password@host:port; @param from
 * the sender's address, `Name <address>`; @param replyTo where replies arrive
 */
export function createMailer(smtpUrl: string, from: string, replyTo: string) {
  const transport = nodemailer.createTransport(smtpUrl, {
    from,
    connectionTimeout: 10_000,
    socketTimeout: 20_000,
  } as object)
  return {
    /** Passes one email to the SMTP server. @throws if it was not accepted: retry later */
    async send(mail: RenderedEmail): Promise<void> {
      // Automatic responders ignore emails that are marked as generated (RFC 3834).
      const headers = { 'Auto-Submitted': 'auto-generated', ...mail.headers }
      await transport.sendMail({ from, replyTo, ...mail, headers })
    },
    close: () => transport.close(),
  }
}
