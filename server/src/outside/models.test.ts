import { startModel } from '@x-automated/stand-ins/model'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createModels } from './models.ts'

it('reports for how long a provider that receives too many requests wants to be left alone', async () => {
  const { url, key, close } = await startModel()
  onTestFinished(close)
  const models = createModels({ timeoutSeconds: 20, allowLoopback: true, allowPrivate: false })
  const elements = models.stream({
    kind: 'openai_compatible',
    baseUrl: url,
    model: 'stand-in-429',
    apiKey: key,
    isGuarded: true,
    system: 'Answer.',
    prompt: 'Write 1 element.',
    element: z.object({ text: z.string() }),
    maxOutputTokens: 10,
    sendsSchema: true,
  })
  await expect(elements.next()).rejects.toMatchObject({ code: 'rate_limited', status: 429, retryAfterSeconds: 20 })
})
