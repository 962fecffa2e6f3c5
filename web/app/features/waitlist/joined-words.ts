/** How many have joined, in words. */
export function joinedWords(count: number): string {
  return `${count.toLocaleString('en-US')}+ people have already joined`
}
