/** Downloads a file. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download no longer needs the URL by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
