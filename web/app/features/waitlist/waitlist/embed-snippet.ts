export type EmbedTheme = 'auto' | 'light' | 'dark'

/** The widget's embed snippet (docs/widget.md). @param origin without a trailing slash */
export function embedSnippet(origin: string, code: string, theme: EmbedTheme): string {
  const attributes = [
    `src="${origin}/embed.js"`,
    'async',
    `data-ref="${code}"`,
    ...(theme === 'auto' ? [] : [`data-theme="${theme}"`]),
  ]
  return `<script ${attributes.join(' ')}></script>`
}
