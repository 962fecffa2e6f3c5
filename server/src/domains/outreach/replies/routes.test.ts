import { beforeAll, describe, expect, it } from 'vitest'
import { call, makePerson, prove, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

describe('POST /replies/classify', () => {
  it('labels texts in their order, with the own words of the workspace', async () => {
    const person = await makePerson(app)
    await person.client.sendingSettings.saveOptOutWords({ words: ['no tennis'] })
    const texts = [
      'Please stop messaging me',
      'no tennis',
      'Sounds great, tell me more!',
      'Not now, ping me in 3 weeks',
    ]
    const { results } = await person.client.replies.classify({ texts })
    expect(results).toMatchObject([
      { label: 'opted_out', confidence: 1, language: 'en', date: null },
      { label: 'opted_out', confidence: 1 },
      { label: 'interested', language: 'en', date: null },
      { label: 'later', confidence: 1, date: expect.any(String) },
    ])
  })

  it('returns the day that a text names, whatever its label, from the day on which it was written', async () => {
    const person = await makePerson(app)
    const texts = ['tomorrow', 'Let’s talk in 3 weeks?', 'Sounds great']
    const { results } = await person.client.replies.classify({ texts, writtenOn: '2026-02-27' })
    expect(results.map(({ date }) => date?.slice(0, 10) ?? null)).toEqual(['2026-02-28', '2026-03-20', null])
    for (const writtenOn of ['2026-02-30', '9999-12-31', 'today'])
      expect((await person.call('POST', '/replies/classify', { texts, writtenOn })).status).toBe(400)
  })

  it('rejects no texts, too many, empty and long ones, and viewers', async () => {
    const person = await makePerson(app)
    for (const texts of [[], Array(101).fill('yes'), [' '], ['a'.repeat(10_001)], 'yes'])
      expect((await person.call('POST', '/replies/classify', { texts })).status).toBe(400)
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect((await viewer.call('POST', '/replies/classify', { texts: ['yes'] })).status).toBe(403)
  })

  it('counts as one call per 10 texts', async () => {
    const person = await makePerson(app)
    app.services.limits.countCall(person.actor.userId, 575)
    const statuses = []
    // 25 calls are left. Three requests of 100 texts count as 30; six of one text each would be allowed.
    for (let calls = 0; calls < 6; calls += 1)
      statuses.push((await person.call('POST', '/replies/classify', { texts: Array(100).fill('yes') })).status)
    expect(statuses[0]).toBe(200)
    expect(statuses).toContain(429)
  })

  it('counts for the API key that calls, not for its creator', async () => {
    const person = await makePerson(app)
    await subscribe(app, person)
    await prove(app, person)
    const { key } = await person.client.apiKeys.create({ name: 'CRM', scopes: ['conversations:read'] })
    app.services.limits.countCall(person.actor.userId, 599)
    const authorization = `Bearer ${key}`
    const response = await call(app, 'POST', '/replies/classify', { texts: Array(100).fill('yes') }, { authorization })
    expect(response.status).toBe(200)
  })
})
