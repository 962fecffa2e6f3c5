/** How many have joined, in words; of nobody there are none. */
export function joinedWords(count: number): string {
  return count === 0 ? '' : `${count.toLocaleString('en-US')}+ people have already joined`
}
