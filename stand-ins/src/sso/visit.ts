import { browser } from '../google/visit.ts'

/** The form that the provider makes the browser post to the product. */
type PostedResponse = { action: string; fields: Record<string, string> }

/** Signs in on the page of a SAML request. */
export async function signInAtSaml(
  requestUrl: string,
  email: string,
  decision: 'continue' | 'cancel' = 'continue',
  visit = browser(),
): Promise<PostedResponse> {
  const url = new URL(requestUrl)
  const carried = {
    SAMLRequest: url.searchParams.get('SAMLRequest') ?? '',
    RelayState: url.searchParams.get('RelayState') ?? '',
  }
  const page = await visit(url)
  if (page.status !== 200) throw new Error(`${page.status}: ${await page.text()}`)
  const response = await visit(new URL('/saml/sso', url), {
    method: 'POST',
    body: new URLSearchParams({ ...carried, email, decision }),
  })
  const html = await response.text()
  const plain = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
  return {
    action: plain(/action="([^"]+)"/.exec(html)?.[1] ?? ''),
    fields: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, plain(value)])),
  }
}
