import type { Payments } from '../payments.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read any response
type Answer = { status: number; body: any }

export const CARD = '4242 4242 4242 4242'
export const DECLINED_CARD = '4000 0000 0000 0002'
export const CONFIRMED_CARD = '4000 0025 0000 3155'
/** A card that can be stored, but whose later charges fail. */
export const FAILING_CARD = '4000 0000 0000 0341'

/** Returns a client for a running stand-in. It makes calls as the product, a buyer or a test does. */
export function visitPayments(payments: Pick<Payments, 'url' | 'secretKey' | 'links'>) {
  const { url, secretKey } = payments
  const read = async (response: Response): Promise<Answer> => {
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, body: isJson ? JSON.parse(text) : text }
  }
  /** Calls the API with form fields. */
  const call = async (method: string, path: string, fields: Record<string, string> = {}, headers = {}) => {
    const isRead = method === 'GET'
    const query = isRead ? `?${new URLSearchParams(fields)}` : ''
    return read(
      await fetch(`${url}${path}${query}`, {
        method,
        headers: { authorization: `Bearer ${secretKey}`, ...headers },
        ...(isRead ? {} : { body: new URLSearchParams(fields) }),
      }),
    )
  }
  const json = async (method: string, path: string, body: unknown) =>
    read(
      await fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  /** Submits a form like a browser and follows redirects. */
  const submit = async (page: string, fields: Record<string, string>) => {
    const response = await fetch(page, { method: 'POST', body: new URLSearchParams(fields) })
    return { url: response.url, text: await response.text() }
  }

  return {
    payments,
    url,
    call,
    json,
    submit,
    faults: (faults: unknown) => json('PUT', '/_faults', faults),
    advance: (days: number) => json('POST', '/_clock', { advanceSeconds: Math.round(days * 86_400) }),
    /** Opens a checkout page and pays. @returns the next page */
    async buy(link: string, { number = CARD, email }: { number?: string; email?: string } = {}) {
      const opened = await fetch(link)
      const typed = (await opened.text()).match(/name="email"[^>]*value="([^"]*)"/)?.[1]?.replaceAll('&#64;', '@')
      return submit(opened.url, { email: email ?? typed ?? '', number })
    },
    /** Returns up to 100 objects of a kind, newest first. */
    async all(path: string, fields: Record<string, string> = {}) {
      return (await call('GET', path, { limit: '100', ...fields })).body.data
    },
  }
}
