import { startX } from '../../stand-ins/src/x.ts'

/* The process of the stand-in X and of the people who reply on it. It ends with its parent. */

/** People who write to an account within these seconds, one after another. */
export interface Burst {
  handles: string[]
  to: string
  seconds: number
}

const x = await startX()
const { url, clientId, clientSecret, consumerSecret, bearerToken } = x
process.send?.({ url, clientId, clientSecret, consumerSecret, bearerToken })
process.once('disconnect', () => void x.close())
process.on('message', async ({ handles, to, seconds }: Burst) => {
  const started = performance.now()
  const times: number[] = []
  const writing: Promise<unknown>[] = []
  for (const [index, handle] of handles.entries()) {
    const dueIn = started + (1_000 * seconds * index) / handles.length - performance.now()
    if (dueIn > 0) await new Promise((resolve) => setTimeout(resolve, dueIn))
    times.push(Date.now())
    writing.push(
      fetch(`${url}/_people/${handle}/reply`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ to, text: `Tell me more about ${index}` }),
      }),
    )
  }
  await Promise.all(writing)
  // When each reply was written, in milliseconds since 1970.
  process.send?.(times)
})
