export type EmbedTheme = 'auto' | 'light' | 'dark'

/** What puts the join widget on somebody's own site (docs/widget.md). `origin` is without a trailing slash. */
export function embedSnippet(origin: string, code: string, theme: EmbedTheme): string {
  const attributes = [
    `src="${origin}/embed.js"`,
    'async',
    `data-ref="${code}"`,
    ...(theme === 'auto' ? [] : [`data-theme="${theme}"`]),
  ]
  return `<script ${attributes.join(' ')}></script>`
}
