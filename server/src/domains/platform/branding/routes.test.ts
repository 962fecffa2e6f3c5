import { LOGO_BYTES_MAX } from '@x-automated/contract/platform/branding-limits'
import { beforeAll, describe, expect, it } from 'vitest'
import { LOGO } from '../../../../test/logo.ts'
import { makePerson, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

describe('PUT /workspace/branding', () => {
  it('sets and removes the logo and the color, which everyone in the workspace sees', async () => {
    const owner = await makePerson(app)
    await subscribe(app, owner)
    const viewer = await makePerson(app, { in: owner, role: 'viewer' })
    expect(await viewer.client.branding.find()).toEqual({ logo: null, color: null })
    const branding = { logo: LOGO, color: '#1d7a3c' }
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    expect(await admin.client.branding.save({ ...branding, color: '#1D7A3C' })).toEqual(branding)
    expect(await viewer.client.branding.find()).toEqual(branding)
    await admin.client.branding.save({ logo: null, color: null })
    expect(await viewer.client.branding.find()).toEqual({ logo: null, color: null })
    const stranger = await makePerson(app)
    expect(await stranger.client.branding.find()).toEqual({ logo: null, color: null })
  })

  it('is refused below Agency with the name of the plan, and keeps what was set before a downgrade', async () => {
    const owner = await makePerson(app)
    await subscribe(app, owner)
    const branding = { logo: LOGO, color: '#1d7a3c' }
    await owner.client.branding.save(branding)
    await subscribe(app, owner, 'pro_monthly')
    const { status, body } = await owner.call('PUT', '/workspace/branding', { logo: null, color: null })
    expect([status, body.code, body.details]).toEqual([403, 'PLAN_LIMIT', { limit: 0, used: 0, plan: 'pro' }])
    expect(body.error).toContain('Agency plan')
    expect(await owner.client.branding.find()).toEqual(branding)
  })

  it.each([
    ['logo', { logo: 'data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=', color: null }, /PNG, JPEG or WebP/],
    ['logo', { logo: 'data:image/png;base64,PHN2Zz48L3N2Zz4=', color: null }, /PNG, JPEG or WebP/],
    ['logo', { logo: `data:image/png;base64,${'A'.repeat(LOGO_BYTES_MAX * 1.4)}`, color: null }, /at most 100 KB/],
    ['color', { logo: null, color: 'red' }, /#1a2b3c/],
    ['color', { logo: null, color: '#fff' }, /#1a2b3c/],
    ['color', { logo: null, color: '#12345g' }, /#1a2b3c/],
    ['color', { logo: null }, /./],
  ])('rejects an invalid %s', async (field, body, problem) => {
    const owner = await makePerson(app)
    await subscribe(app, owner)
    const response = await owner.call('PUT', '/workspace/branding', body)
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(response.body.details).toEqual([{ field, problem: expect.stringMatching(problem) }])
  })
})
