/** The keys that send an answer, as this system writes them. */
export function sendKeys(): string {
  return /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘↵' : 'Ctrl ↵'
}
