/** Returns a minimal browser, which stores cookies and does not follow redirects. */
export function browser() {
  const cookies = new Map<string, string>()
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }
}

/** Signs in on the page of an authorization request. @returns the app's callback URL */
export async function signInAtGoogle(
  authorizeUrl: string,
  email: string,
  decision: 'continue' | 'cancel' = 'continue',
  visit = browser(),
): Promise<URL> {
  const next = (response: Response) => new URL(response.headers.get('location') ?? '', response.url || authorizeUrl)
  const page = next(await visit(authorizeUrl))
  const resumed = next(await visit(page, { method: 'POST', body: new URLSearchParams({ email, decision }) }))
  return next(await visit(resumed))
}
