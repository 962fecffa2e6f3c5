/** Runs one task at a time, in order. @param longest maximum number of waiting tasks */
export function createQueue(longest: number) {
  let last: Promise<unknown> = Promise.resolve()
  let unfinished = 0

  return {
    /** Runs the task when its turn comes. Null if too many are waiting. */
    run<Value>(work: () => Promise<Value>): Promise<Value> | null {
      if (unfinished > longest) return null
      unfinished += 1
      const turn = last.then(work).finally(() => {
        unfinished -= 1
      })
      last = turn.catch(() => {})
      return turn
    },
  }
}
