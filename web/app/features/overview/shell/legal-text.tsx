import { SUPPORT_PLACEHOLDER, supportAddress } from '../../../product-address'
import { cn } from '../../../ui/cn'

/** The privacy policy, the terms, the help or the changelog. @param html trusted, because it is our own file */
export function LegalText({ html }: { html: string }) {
  return (
    <article
      className={cn(
        'mx-auto grid w-full max-w-2xl grid-cols-1 gap-4 px-4 pt-12 pb-20 text-base',
        '[&_h1]:text-3xl sm:[&_h1]:text-4xl [&_h2]:pt-6 [&_h2]:text-xl',
        '[&_a]:text-accent-word [&_a]:underline [&_a]:underline-offset-4 [&_a]:wrap-anywhere',
        '[&_ul]:grid [&_ul]:list-disc [&_ul]:gap-2 [&_ul]:ps-5 [&_li]:marker:text-faint',
        '[&_table]:w-full [&_table]:text-sm [&_thead]:bg-sunken [&_thead]:text-muted',
        '[&_tr:not(:last-child)]:border-b [&_tr]:border-line [&_thead]:border-b [&_thead]:border-line',
        '[&_th]:px-4 [&_th]:py-3 [&_th]:text-start [&_th]:align-top [&_th]:font-strong max-md:[&_th]:p-0',
        '[&_td]:px-4 [&_td]:py-3 [&_td]:align-top max-md:[&_td:not(:last-child)]:text-muted',
      )}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: our own text
      dangerouslySetInnerHTML={{ __html: html.replaceAll(SUPPORT_PLACEHOLDER, supportAddress()) }}
    />
  )
}
