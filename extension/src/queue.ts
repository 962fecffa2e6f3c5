/** Lets one piece of work run at a time, in the order in which they came. @param longest how many may wait */
export function createQueue(longest: number) {
  let last: Promise<unknown> = Promise.resolve()
  let unfinished = 0

  return {
    /** Runs the work when its turn comes. Null where too many wait already. */
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
