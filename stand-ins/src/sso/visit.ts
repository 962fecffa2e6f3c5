import { browser } from '../google/visit.ts'

/** The form that the provider posts to the product. */
type PostedResponse = { action: string; fields: Record<string, string> }

/** Signs in on the page of a SAML request. */
export async function signInAtSaml(
  requestUrl: string,
  email: string,
  decision: 'continue' | 'cancel' = 'continue',
  visit = browser(),
): Promise<PostedResponse> {
  const asked = new URL(requestUrl)
  const carried = {
    SAMLRequest: asked.searchParams.get('SAMLRequest') ?? '',
    RelayState: asked.searchParams.get('RelayState') ?? '',
  }
  const page = await visit(asked)
  if (page.status !== 200) throw new Error(`${page.status}: ${await page.text()}`)
  const answer = await visit(new URL('/saml/sso', asked), {
    method: 'POST',
    body: new URLSearchParams({ ...carried, email, decision }),
  })
  const html = await answer.text()
  const plain = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
  return {
    action: plain(/action="([^"]+)"/.exec(html)?.[1] ?? ''),
    fields: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, plain(value)])),
  }
}
