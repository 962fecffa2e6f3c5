/** Hands a file to the browser's downloads. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has its own hold on it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
