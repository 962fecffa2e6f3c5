/** Works on each item, even if an earlier one has failed. @throws the first failure, at the end */
export async function attemptEach<One>(all: readonly One[], work: (item: One) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = []
  for (const item of all) await work(item).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
